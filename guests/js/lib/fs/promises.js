// fs/promises: each operation is done when the loop comes to it.
const sync = require('internal/fs_sync');
const loop = require('internal/loop');
const { Buffer } = require('buffer');
const { AbortError } = require('internal/errors');

const later = (f) => new Promise((resolve, reject) => {
  loop.pending(() => {
    try {
      resolve(f());
    } catch (e) {
      reject(e);
    }
  });
});

function aborted(options) {
  if (options?.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
}

const file = (f) => (f instanceof FileHandle ? f.fd : f);
for (const base of ['access', 'chmod', 'chown', 'copyFile', 'cp', 'lchown', 'link', 'lstat', 'lutimes', 'mkdir', 'mkdtemp', 'opendir', 'readdir', 'readlink', 'realpath',
  'rename', 'rm', 'rmdir', 'stat', 'symlink', 'truncate', 'unlink', 'utimes']) {
  const f = sync.names[`${base}Sync`];
  exports[base] = { async [base](...args) { return later(() => f(...args)); } }[base];
}
exports.readFile = async function readFile(path, options) {
  aborted(options);
  return later(() => sync.names.readFileSync(file(path), options));
};
async function collected(data, encoding) {
  if (typeof data === 'string' || ArrayBuffer.isView(data) || !data || (!data[Symbol.asyncIterator] && !data[Symbol.iterator])) return data;
  const parts = [];
  for await (const c of data) parts.push(typeof c === 'string' ? Buffer.from(c, encoding) : c);
  return Buffer.concat(parts);
}
exports.writeFile = async function writeFile(path, data, options) {
  aborted(options);
  const all = await collected(data, options?.encoding ?? 'utf8');
  return later(() => sync.names.writeFileSync(file(path), all, options));
};
exports.appendFile = async function appendFile(path, data, options) { return later(() => sync.names.appendFileSync(file(path), data, options)); };
exports.open = async function open(path, flags, mode) { return later(() => new FileHandle(sync.names.openSync(path, flags, mode))); };
exports.glob = async function* glob(pattern, options) { yield* sync.names.globSync(pattern, options); };
exports.watch = async function* watch() { throw require('internal/errors').notHere('fs.watch', 'there is no notification of changes'); };
exports.constants = sync.constants;

class FileHandle extends require('events') {
  #fd;
  constructor(fd) { super(); this.#fd = fd; }
  get fd() { return this.#fd; }
  async close() {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    await later(() => sync.names.closeSync(fd));
    this.emit('close');
  }
  async read(buffer, offset, length, position) {
    if (buffer === undefined || (!ArrayBuffer.isView(buffer) && typeof buffer === 'object')) ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
    return later(() => ({ bytesRead: sync.names.readSync(this.#fd, buffer, offset, length, position), buffer }));
  }
  async write(buffer, offset, length, position) { return later(() => ({ bytesWritten: sync.names.writeSync(this.#fd, buffer, offset, length, position), buffer })); }
  async readv(buffers, position) { return later(() => ({ bytesRead: sync.names.readvSync(this.#fd, buffers, position), buffers })); }
  async writev(buffers, position) { return later(() => ({ bytesWritten: sync.names.writevSync(this.#fd, buffers, position), buffers })); }
  readFile(options) { return exports.readFile(this.#fd, options); }
  writeFile(data, options) { return exports.writeFile(this.#fd, data, options); }
  appendFile(data, options) { return exports.writeFile(this.#fd, data, options); }
  async stat(options) { return later(() => sync.names.fstatSync(this.#fd, options)); }
  async chmod(mode) { return later(() => sync.names.fchmodSync(this.#fd, mode)); }
  async chown(uid, gid) { return later(() => sync.names.fchownSync(this.#fd, uid, gid)); }
  async utimes(a, m) { return later(() => sync.names.futimesSync(this.#fd, a, m)); }
  async truncate(n = 0) { return later(() => sync.names.ftruncateSync(this.#fd, n)); }
  async sync() { return later(() => sync.names.fsyncSync(this.#fd)); }
  datasync() { return this.sync(); }
  createReadStream(options) { return require('internal/fs_streams').createReadStream(null, { ...options, fd: this.#fd }); }
  createWriteStream(options) { return require('internal/fs_streams').createWriteStream(null, { ...options, fd: this.#fd }); }
  readLines(options) { return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity }); }
  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() { await this.close(); }
}
