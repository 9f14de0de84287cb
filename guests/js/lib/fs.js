// fs: the synchronous functions, the same with callbacks (done when the loop comes to them), streams.
const sync = require('internal/fs_sync');
const { needFunction, notHere } = require('internal/errors');
const loop = require('internal/loop');

Object.assign(exports, sync.names);
for (const name of Object.keys(sync.names)) {
  if (!name.endsWith('Sync') || name === 'existsSync') continue;
  const f = sync.names[name], base = name.slice(0, -4);
  const withCallback = { [base]: function (...args) {
    const cb = args.pop();
    needFunction(cb, 'cb');
    check(base, args);
    loop.pending(() => {
      let r;
      try {
        r = f(...args);
      } catch (e) {
        if (e.stack && e.syscall) e.stack = `${e.name}: ${e.message}`;
        cb(e);
        return;
      }
      if (base === 'read') cb(null, r, args[1]?.buffer && ArrayBuffer.isView(args[1]) ? args[1] : args[1]);
      else if (base === 'write') cb(null, r, args[1]);
      else if (base === 'readv' || base === 'writev') cb(null, r, args[1]);
      else if (r === undefined && base !== 'mkdir') cb(null);
      else cb(null, r);
    });
  } }[base];
  Object.defineProperty(withCallback, 'length', { value: f.length + 1, configurable: true });
  exports[base] = withCallback;
}

// Wrong arguments are said at once, not to the callback.
function check(base, args) {
  if (['open', 'readFile', 'writeFile', 'appendFile', 'stat', 'lstat', 'unlink', 'mkdir', 'rmdir', 'rm', 'access', 'readdir', 'realpath', 'readlink', 'chmod', 'truncate', 'utimes'].includes(base) &&
    typeof args[0] !== 'number') sync.pathOf(args[0]);
}

exports.exists = (p, cb) => {
  needFunction(cb, 'cb');
  loop.pending(() => cb(sync.names.existsSync(p)));
};
Object.defineProperty(exports.exists, Symbol.for('nodejs.util.promisify.custom'), { value: (p) => new Promise((resolve) => exports.exists(p, resolve)) });
exports.realpath.native = exports.realpath;
exports.constants = sync.constants;
for (const k of ['F_OK', 'R_OK', 'W_OK', 'X_OK']) exports[k] = sync.constants[k];
exports.Stats = sync.Stats;
exports.Dirent = sync.Dirent;
exports.Dir = sync.Dir;
exports.statfsSync = () => { throw notHere('fs.statfsSync', 'df says what there is'); };
for (const name of ['watch', 'watchFile']) exports[name] = () => { throw notHere(`fs.${name}`, 'there is no notification of changes'); };
exports.unwatchFile = () => {};
const lazy = (name, file, key = name) => Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => require(file)[key],
  set(v) { Object.defineProperty(exports, name, { value: v, writable: true, configurable: true, enumerable: true }); } });
for (const name of ['createReadStream', 'createWriteStream', 'ReadStream', 'WriteStream']) lazy(name, 'internal/fs_streams');
lazy('FileReadStream', 'internal/fs_streams', 'ReadStream');
lazy('FileWriteStream', 'internal/fs_streams', 'WriteStream');
Object.defineProperty(exports, 'promises', { enumerable: true, configurable: true, get: () => require('fs/promises') });
