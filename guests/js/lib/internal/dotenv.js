// The text of an .env file as an object.
module.exports = function parse(text) {
  const out = {};
  const line = /^\s*(?:export\s+)?([\w.-]+)\s*=[^\S\n]*(?:'([^']*)'|"((?:[^"\\]|\\[^])*)"|`([^`]*)`|([^\n#]*))?[^\S\n]*(?:#[^\n]*)?$/gm;
  for (let m; (m = line.exec(text.replace(/\r\n?/g, '\n')));) out[m[1]] = m[2] ?? m[3]?.replace(/\\n/g, '\n') ?? m[4] ?? (m[5] ?? '').trim();
  return out;
};
