// stream/consumers.
const { Buffer } = require('buffer');
async function buffer(s) {
  const parts = [];
  for await (const c of s) parts.push(typeof c === 'string' ? Buffer.from(c) : c);
  return Buffer.concat(parts);
}
const text = async (s) => (await buffer(s)).toString();
module.exports = { buffer, text, json: async (s) => JSON.parse(await text(s)), arrayBuffer: async (s) => { const b = await buffer(s); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); } };
