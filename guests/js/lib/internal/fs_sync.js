// The synchronous half of fs, of which the callbacks and the promises are made.
const { check, systemError, invalidArgType, invalidArgValue, outOfRange, withCode, needString, needInteger } = require('internal/errors');
const { Buffer, encodingNumber } = require('buffer');

const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384,
  S_IFCHR: 8192, S_IFBLK: 24576, S_IFIFO: 4096, S_IFLNK: 40960, S_IFSOCK: 49152, O_CREAT: 64, O_EXCL: 128, O_NOCTTY: 256, O_TRUNC: 512,
  O_APPEND: 1024, O_DIRECTORY: 65536, O_NOATIME: 262144, O_NOFOLLOW: 131072, O_SYNC: 1052672, O_DSYNC: 4096, O_DIRECT: 16384, O_NONBLOCK: 2048,
  S_IRWXU: 448, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, S_IRWXG: 56, S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8, S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2,
  S_IXOTH: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4, UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2,
  UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5, UV_DIRENT_CHAR: 6,
  UV_DIRENT_BLOCK: 7, EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1 };

const READ = 1, WRITE = 2, APPEND = 4, CREATE = 8, EXCL = 16, TRUNC = 32;
const FLAGS = { r: READ, 'r+': READ | WRITE, w: WRITE | CREATE | TRUNC, 'w+': READ | WRITE | CREATE | TRUNC, a: WRITE | APPEND | CREATE,
  'a+': READ | WRITE | APPEND | CREATE };
for (const [alias, of, more] of [['rs', 'r', 0], ['sr', 'r', 0], ['rs+', 'r+', 0], ['sr+', 'r+', 0], ['wx', 'w', EXCL], ['xw', 'w', EXCL], ['wx+', 'w+', EXCL],
  ['xw+', 'w+', EXCL], ['ax', 'a', EXCL], ['xa', 'a', EXCL], ['ax+', 'a+', EXCL], ['xa+', 'a+', EXCL], ['as', 'a', 0], ['sa', 'a', 0], ['as+', 'a+', 0],
  ['sa+', 'a+', 0]]) FLAGS[alias] = FLAGS[of] | more;

function flagsOf(flags) {
  if (typeof flags === 'number') {
    let f = [READ, WRITE, READ | WRITE][flags & 3];
    for (const [bit, ours] of [[64, CREATE], [128, EXCL], [512, TRUNC], [1024, APPEND], [65536, 64], [131072, 128]]) if (flags & bit) f |= ours;
    return f;
  }
  if (flags === undefined || flags === null) return READ;
  const f = FLAGS[flags];
  if (f === undefined) throw invalidArgValue('flags', flags);
  return f;
}

function pathOf(p, name = 'path') {
  if (p instanceof URL) return require('url').fileURLToPath(p);
  if (p instanceof Uint8Array) p = Buffer.from(p.buffer, p.byteOffset, p.length).toString();
  if (typeof p !== 'string') throw invalidArgType(name, ['string', 'Buffer', 'URL'], p);
  if (p.includes('\0')) throw invalidArgValue(name, p, 'must be a string, Uint8Array, or URL without null bytes');
  return p;
}

function modeOf(mode, name, otherwise) {
  if (mode === undefined || mode === null) return otherwise;
  if (typeof mode === 'string') {
    if (!/^[0-7]+$/.test(mode)) throw invalidArgValue(name, mode, 'must be a 32-bit unsigned integer or an octal string');
    return parseInt(mode, 8);
  }
  needInteger(mode, name, 0, 2 ** 32 - 1);
  return mode;
}

function fdOf(fd) {
  if (typeof fd !== 'number') throw invalidArgType('fd', 'number', fd);
  if (!Number.isInteger(fd)) throw outOfRange('fd', 'an integer', fd);
  if (fd < 0 || fd > 2147483647) throw outOfRange('fd', '>= 0 && <= 2147483647', fd);
  return fd;
}

// Options that may be just an encoding.
function optionsOf(options, defaults) {
  if (options === null || options === undefined || typeof options === 'function') return defaults;
  if (typeof options === 'string') options = { encoding: options };
  else if (typeof options !== 'object') throw invalidArgType('options', ['string', 'Object'], options);
  if (options.encoding !== undefined && options.encoding !== null && options.encoding !== 'buffer' && !Buffer.isEncoding(options.encoding)) {
    throw invalidArgValue('encoding', options.encoding, 'is invalid encoding');
  }
  return { ...defaults, ...options };
}

// ---- What stat says ------------------------------------------------------------------------------------

class Stats {
  constructor(v, big) {
    const n = big ? BigInt : (x) => x;
    const ms = (s, ns) => (big ? BigInt(s) * 1000n + BigInt(ns) / 1000000n : s * 1000 + ns / 1e6);
    this.dev = n(v[0]);
    this.mode = n(v[2]);
    this.nlink = n(v[3]);
    this.uid = n(v[4]);
    this.gid = n(v[5]);
    this.rdev = n(v[6]);
    this.blksize = n(v[8]);
    this.ino = n(v[1]);
    this.size = n(v[7]);
    this.blocks = n(v[9]);
    this.atimeMs = ms(v[10], v[11]);
    this.mtimeMs = ms(v[12], v[13]);
    this.ctimeMs = ms(v[14], v[15]);
    this.birthtimeMs = ms(v[14], v[15]);
    if (big) {
      for (const [k, i] of [['atime', 10], ['mtime', 12], ['ctime', 14], ['birthtime', 14]]) this[`${k}Ns`] = BigInt(v[i]) * 1000000000n + BigInt(v[i + 1]);
    }
    for (const k of ['atime', 'mtime', 'ctime', 'birthtime']) this[k] = new Date(Number(this[`${k}Ms`]));
  }
}
class BigIntStats extends Stats {}
for (const [name, type] of [['File', 32768], ['Directory', 16384], ['SymbolicLink', 40960], ['FIFO', 4096], ['Socket', 49152], ['CharacterDevice', 8192], ['BlockDevice', 24576]]) {
  Object.defineProperty(Stats.prototype, `is${name}`, { value() { return (Number(this.mode) & 61440) === type; }, configurable: true, writable: true });
}

// The types of a directory's entries, of modes.
const ofMode = { 32768: 1, 16384: 2, 40960: 3, 4096: 4, 49152: 5, 8192: 6, 24576: 7 };
const kType = Symbol('type');
class Dirent {
  constructor(name, parentPath, type) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    this[kType] = type;
  }
}
for (const [name, type] of [['File', 1], ['Directory', 2], ['SymbolicLink', 3], ['FIFO', 4], ['Socket', 5], ['CharacterDevice', 6], ['BlockDevice', 7]]) {
  Object.defineProperty(Dirent.prototype, `is${name}`, { value() { return this[kType] === type; }, configurable: true, writable: true });
}

function stat(p, options, nofollow, syscall) {
  const path = pathOf(p);
  const v = host.stat(path, nofollow);
  if (typeof v === 'number') {
    if (options?.throwIfNoEntry === false && (v === -2 || v === -20)) return undefined;
    check(v, syscall, path);
  }
  return options?.bigint ? new BigIntStats(v, true) : new Stats(v);
}

const statSync = (p, options) => stat(p, options, 0, 'stat');
const lstatSync = (p, options) => stat(p, options, 1, 'lstat');
function fstatSync(fd, options) {
  const v = check(host.fstat(fdOf(fd)), 'fstat');
  return options?.bigint ? new BigIntStats(v, true) : new Stats(v);
}
function existsSync(p) {
  try {
    return host.access(pathOf(p), 0) >= 0;
  } catch {
    return false;
  }
}
function accessSync(p, mode = 0) {
  const path = pathOf(p);
  check(host.access(path, mode), 'access', path);
}

// ---- Descriptors --------------------------------------------------------------------------------------------

function openSync(p, flags, mode) {
  const path = pathOf(p), f = flagsOf(flags), m = modeOf(mode, 'mode', 0o666);
  return check(host.open(path, f, m), 'open', path);
}
function closeSync(fd) {
  check(host.close(fdOf(fd)), 'close');
}

function readSync(fd, buffer, offset, length, position) {
  fdOf(fd);
  if (!ArrayBuffer.isView(buffer)) throw invalidArgType('buffer', ['Buffer', 'TypedArray', 'DataView'], buffer);
  if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
  else if (offset !== undefined && offset !== null && length === undefined) throw invalidArgType('options', 'object', offset);
  offset = offset ?? 0;
  length = length ?? buffer.byteLength - offset;
  if (offset < 0 || offset > buffer.byteLength) throw outOfRange('offset', `>= 0 && <= ${buffer.byteLength}`, offset);
  if (length === 0) return 0;
  if (length < 0 || length > buffer.byteLength - offset) throw outOfRange('length', `>= 0 && <= ${buffer.byteLength - offset}`, length);
  const at = position === null || position === undefined || position < 0 ? -1 : Number(position);
  return check(host.read(fd, buffer.buffer, buffer.byteOffset + offset, length, at), 'read');
}

function writeSync(fd, data, offset, length, position) {
  fdOf(fd);
  if (typeof data === 'string') {
    const bytes = Buffer.from(data, typeof length === 'string' ? length : 'utf8');
    return check(host.write(fd, bytes.buffer, bytes.byteOffset, bytes.length, typeof offset === 'number' ? offset : -1), 'write');
  }
  if (!ArrayBuffer.isView(data)) throw invalidArgType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
  offset = offset ?? 0;
  length = length ?? data.byteLength - offset;
  if (offset < 0 || offset > data.byteLength) throw outOfRange('offset', `>= 0 && <= ${data.byteLength}`, offset);
  if (length < 0 || length > data.byteLength - offset) throw outOfRange('length', `>= 0 && <= ${data.byteLength - offset}`, length);
  return check(host.write(fd, data.buffer, data.byteOffset + offset, length, typeof position === 'number' ? position : -1), 'write');
}
const readvSync = (fd, views, position) => {
  let n = 0;
  for (const v of views) {
    const got = readSync(fd, v, 0, v.byteLength, typeof position === 'number' ? position + n : null);
    n += got;
    if (got < v.byteLength) break;
  }
  return n;
};
const writevSync = (fd, views, position) => views.reduce((n, v) => n + writeSync(fd, v, 0, v.byteLength, typeof position === 'number' ? position + n : null), 0);
const ftruncateSync = (fd, n = 0) => { check(host.ftruncate(fdOf(fd), Math.max(0, n)), 'ftruncate'); };
const fsyncSync = (fd) => { check(host.fsync(fdOf(fd)), 'fsync'); };

// ---- Whole files ---------------------------------------------------------------------------------------------

function readFileSync(p, options) {
  const o = optionsOf(options, { encoding: null, flag: 'r' });
  const own = typeof p !== 'number';
  const fd = own ? openSync(p, o.flag, 0o666) : fdOf(p);
  const data = host.readAll(fd);
  if (own) host.close(fd);
  check(data, 'read');
  const n = o.encoding && o.encoding !== 'buffer' ? encodingNumber(o.encoding) : -1;
  return n < 0 ? Buffer.from(data) : host.decode(data, 0, data.byteLength, n);
}

function bytesOf(data, encoding) {
  if (typeof data === 'string') return Buffer.from(data, encoding || 'utf8');
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

function writeFileSync(p, data, options) {
  const o = optionsOf(options, { encoding: 'utf8', mode: 0o666, flag: 'w', flush: false });
  const bytes = bytesOf(data, o.encoding);
  const own = typeof p !== 'number';
  const fd = own ? openSync(p, o.flag, o.mode) : fdOf(p);
  const r = host.write(fd, bytes.buffer, bytes.byteOffset, bytes.length, -1);
  if (own) host.close(fd);
  check(r, 'write');
}
function appendFileSync(p, data, options) {
  const o = optionsOf(options, { encoding: 'utf8', mode: 0o666, flag: 'a' });
  writeFileSync(p, data, o);
}

function copyFileSync(from, to, mode = 0) {
  const src = pathOf(from, 'src'), dest = pathOf(to, 'dest');
  const fail = (n) => check(n, 'copyfile', src, dest);
  const st = fail(host.stat(src, 0));
  if ((st[2] & 61440) === 16384) fail(-21);
  const there = host.stat(dest, 0);
  if (typeof there !== 'number') {
    if (mode & 1) fail(-17);
    if (there[0] === st[0] && there[1] === st[1]) return;
  }
  const a = fail(host.open(src, READ, 0));
  const b = host.open(dest, WRITE | CREATE | TRUNC | (mode & 1 ? EXCL : 0), st[2] & 0o777);
  if (b < 0) {
    host.close(a);
    fail(b);
  }
  const chunk = new ArrayBuffer(65536);
  let n, r = 0;
  while (r >= 0 && (n = host.read(a, chunk, 0, 65536, -1)) > 0) r = host.write(b, chunk, 0, n, -1);
  host.close(a);
  host.close(b);
  fail(n < 0 ? n : r);
}

// ---- Names -------------------------------------------------------------------------------------------------------

function mkdirSync(p, options) {
  const path = pathOf(p);
  const o = typeof options === 'object' && options !== null ? options : { mode: options };
  const mode = modeOf(o.mode, 'mode', 0o777);
  if (!o.recursive) {
    check(host.mkdir(path, mode), 'mkdir', path);
    return undefined;
  }
  const full = require('path').resolve(path), missing = [];
  let at = full;
  for (;;) {
    const st = host.stat(at, 0);
    if (typeof st !== 'number') {
      if ((st[2] & 61440) !== 16384) check(missing.length ? -20 : -17, 'mkdir', path);
      break;
    }
    if (st !== -2) check(st, 'mkdir', path);
    missing.unshift(at);
    const up = at.slice(0, at.lastIndexOf('/')) || '/';
    if (up === at) break;
    at = up;
  }
  for (const d of missing) {
    const r = host.mkdir(d, mode);
    if (r !== -17) check(r, 'mkdir', path);
  }
  return missing.length === 0 || path.startsWith('/') ? missing[0] : missing[0].slice(process.cwd().replace(/\/?$/, '/').length);
}

function entries(path) {
  const list = check(host.readdir(path), 'scandir', path);
  const out = [];
  for (let i = 0; i < list.length; i += 2) {
    let type = list[i + 1];
    if (type === 0) {
      const st = host.stat(`${path}/${list[i]}`, 1);
      if (typeof st !== 'number') type = ofMode[st[2] & 61440] ?? 0;
    }
    out.push([list[i], type]);
  }
  return out.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}

function readdirSync(p, options) {
  const o = optionsOf(options, { encoding: 'utf8', withFileTypes: false, recursive: false });
  const path = pathOf(p);
  const found = [];
  const take = (dir, below) => {
    const list = entries(dir);
    for (const [name, type] of list) {
      found.push(o.withFileTypes ? new Dirent(name, dir, type) : o.encoding === 'buffer' ? Buffer.from(below + name) : below + name);
    }
    if (o.recursive) for (const [name, type] of list) if (type === 2) take(`${dir.replace(/(?!^)\/$/, '')}/${name}`, `${below}${name}/`);
  };
  take(path, '');
  return found;
}

const rmdirSync = (p, options) => {
  const path = pathOf(p);
  if (options?.recursive) return removeTree(path, 'rmdir');
  check(host.rmdir(path), 'rmdir', path);
  return undefined;
};
const unlinkSync = (p) => { const path = pathOf(p); check(host.unlink(path), 'unlink', path); };

function removeTree(path, syscall) {
  const st = check(host.stat(path, 1), syscall, path);
  if ((st[2] & 61440) !== 16384) {
    check(host.unlink(path), syscall === 'rmdir' ? 'rmdir' : 'unlink', path);
    return;
  }
  const list = check(host.readdir(path), syscall, path);
  for (let i = 0; i < list.length; i += 2) removeTree(`${path}/${list[i]}`, syscall);
  check(host.rmdir(path), syscall, path);
}

function directoryError(call, why, errno, path) {
  const e = withCode(Error, 'ERR_FS_EISDIR', `Path is a directory: ${call} returned EISDIR (${why}) ${path}`);
  e.name = 'SystemError';
  e.errno = errno;
  e.syscall = call;
  e.path = path;
  return e;
}

function rmSync(p, options) {
  const path = pathOf(p);
  const st = host.stat(path, 1);
  if (typeof st === 'number') {
    if (options?.force && (st === -2 || st === -20)) return;
    check(st, 'lstat', path);
  }
  if ((st[2] & 61440) === 16384) {
    if (!options?.recursive) {
      throw directoryError('rm', 'is a directory', 21, path);
    }
    removeTree(path, 'rm');
  } else {
    check(host.unlink(path), 'unlink', path);
  }
}

const two = (name, call) => (a, b) => {
  const from = pathOf(a, name === 'rename' ? 'oldPath' : 'existingPath'), to = pathOf(b, 'newPath');
  check(host[call](from, to), name, from, to);
};
const renameSync = two('rename', 'rename'), linkSync = two('link', 'link');
const symlinkSync = (target, path) => {
  const t = pathOf(target, 'target'), p = pathOf(path);
  check(host.symlink(t, p), 'symlink', t, p);
};
const readlinkSync = (p, options) => {
  const path = pathOf(p), r = check(host.readlink(path), 'readlink', path);
  return optionsOf(options, {}).encoding === 'buffer' ? Buffer.from(r) : r;
};
const truncateSync = (p, n = 0) => {
  if (typeof p === 'number') return ftruncateSync(p, n);
  const path = pathOf(p);
  check(host.truncate(path, Math.max(0, n ?? 0)), 'open', path);
  return undefined;
};
const chmodSync = (p, mode) => { const path = pathOf(p); check(host.chmod(path, modeOf(mode, 'mode'), 0), 'chmod', path); };
const chownSync = (p, uid, gid) => { const path = pathOf(p); check(host.chown(path, uid, gid), 'chown', path); };
const lchownSync = (p, uid, gid) => { const path = pathOf(p); check(host.lchown(path, uid, gid), 'lchown', path); };
const seconds = (t) => (t instanceof Date ? t.getTime() / 1000 : typeof t === 'string' && +t == t ? +t : typeof t === 'number' ? t : new Date(t).getTime() / 1000);
const utimes = (nofollow, name) => (p, a, m) => {
  const path = pathOf(p);
  check(host.utimes(path, seconds(a), seconds(m), nofollow), name, path);
};

function realpathSync(p, options) {
  const given = pathOf(p);
  let rest = require('path').resolve(given).split('/').filter(Boolean), done = '', hops = 0;
  while (rest.length) {
    const next = `${done}/${rest.shift()}`;
    const st = check(host.stat(next, 1), 'lstat', next);
    if ((st[2] & 61440) !== 40960) {
      done = next;
      continue;
    }
    if (++hops > 40) check(-40, 'realpath', given);
    const target = check(host.readlink(next), 'readlink', next);
    rest = [...require('path').resolve(done || '/', target).split('/').filter(Boolean), ...rest];
    done = '';
  }
  const r = done || '/';
  return optionsOf(options, {}).encoding === 'buffer' ? Buffer.from(r) : r;
}
realpathSync.native = realpathSync;

function mkdtempSync(prefix, options) {
  needString(prefix, 'prefix');
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', bytes = new Uint8Array(6);
  for (let tries = 0; tries < 100; tries++) {
    host.random(bytes.buffer, 0, 6);
    const path = prefix + Array.from(bytes, (b) => letters[b % 62]).join('');
    const r = host.mkdir(path, 0o700);
    if (r !== -17) {
      check(r, 'mkdtemp', `${prefix}XXXXXX`);
      return optionsOf(options, {}).encoding === 'buffer' ? Buffer.from(path) : path;
    }
  }
  throw systemError(-17, 'mkdtemp', `${prefix}XXXXXX`);
}

function cpSync(from, to, options = {}) {
  const src = pathOf(from, 'src'), dest = pathOf(to, 'dest');
  const st = check(host.stat(src, options.dereference ? 0 : 1), 'cp', src);
  if (options.filter && !options.filter(src, dest)) return;
  const type = st[2] & 61440;
  if (type === 16384) {
    if (!options.recursive) throw directoryError('cp', `${src} is a directory (not copied)`, 22, src);
    const up = require('path');
    if (`${up.resolve(dest)}/`.startsWith(`${up.resolve(src)}/`)) throw withCode(Error, 'ERR_FS_CP_EINVAL', `Cannot copy ${src} to a subdirectory of self ${dest}`);
    if (!existsSync(dest)) mkdirSync(dest, { recursive: true, mode: st[2] & 0o777 });
    for (const [name] of entries(src)) cpSync(`${src}/${name}`, `${dest}/${name}`, options);
    return;
  }
  const there = host.stat(dest, 1);
  if (typeof there !== 'number') {
    if ((there[2] & 61440) === 16384) throw withCode(Error, 'ERR_FS_CP_NON_DIR_TO_DIR', `Cannot overwrite directory ${dest} with non-directory ${src}`);
    if (options.errorOnExist && options.force === false) throw withCode(Error, 'ERR_FS_CP_EEXIST', `Target already exists: ${dest}`);
    if (options.force === false) return;
  } else {
    mkdirSync(require('path').dirname(dest), { recursive: true });
  }
  if (type === 40960) {
    if (typeof there !== 'number') unlinkSync(dest);
    symlinkSync(readlinkSync(src), dest);
    return;
  }
  copyFileSync(src, dest, 0);
  if (options.preserveTimestamps) host.utimes(dest, st[10] + st[11] / 1e9, st[12] + st[13] / 1e9, 0);
}

class Dir {
  #list;
  constructor(path, list) { this.path = path; this.#list = list; }
  readSync() { return this.#list.shift() ?? null; }
  async read(cb) { const e = this.readSync(); if (typeof cb === 'function') cb(null, e); return e; }
  closeSync() { this.#list = []; }
  async close(cb) { this.closeSync(); if (typeof cb === 'function') cb(null); }
  async *[Symbol.asyncIterator]() { for (let e; (e = this.readSync()) !== null;) yield e; }
}
const opendirSync = (p, options) => { const path = pathOf(p); return new Dir(path, readdirSync(path, { ...options, withFileTypes: true })); };

// What a glob pattern matches, below `cwd`.
const globSync = (pattern, options) => require('internal/glob').find(pattern, options);

module.exports = { constants, Stats, BigIntStats, Dirent, Dir, pathOf, optionsOf, bytesOf, flagsOf, names: {
  accessSync, appendFileSync, chmodSync, chownSync, closeSync, copyFileSync, cpSync, existsSync, fstatSync, fsyncSync, fdatasyncSync: fsyncSync, ftruncateSync,
  lchownSync, linkSync, lstatSync, mkdirSync, mkdtempSync, openSync, opendirSync, readFileSync, readSync, readdirSync, readlinkSync, readvSync, realpathSync,
  renameSync, rmSync, rmdirSync, statSync, symlinkSync, truncateSync, unlinkSync, utimesSync: utimes(0, 'utime'), lutimesSync: utimes(1, 'lutime'),
  writeFileSync, writeSync, writevSync, globSync,
  futimesSync(fd, a, m) { check(host.futimes(fdOf(fd), seconds(a), seconds(m)), 'futime'); },
  fchmodSync(fd, mode) { check(host.fchmod(fdOf(fd), modeOf(mode, 'mode')), 'fchmod'); },
  fchownSync(fd, uid, gid) { check(host.fchown(fdOf(fd), uid, gid), 'fchown'); },
} };
