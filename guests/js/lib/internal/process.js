// process: filled anew for each run (begin).
const EventEmitter = require('events');
const { check, invalidArgType, withCode, invalidArgValue, outOfRange, notHere } = require('internal/errors');
const { byCode } = require('internal/errors');
const loop = require('internal/loop');
const signals = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGIOT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11,
  SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGSTKFLT: 16, SIGCHLD: 17, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20, SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23,
  SIGXCPU: 24, SIGXFSZ: 25, SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29, SIGPOLL: 29, SIGPWR: 30, SIGSYS: 31 };

const process = Object.create(Object.create(EventEmitter.prototype, { constructor: { value: function process() {}, enumerable: false, writable: true, configurable: true },
  [Symbol.toStringTag]: { value: 'process', configurable: true } }));
EventEmitter.call(process);

process.title = 'node';
process.version = 'v20.20.2';
process.versions = { node: '20.20.2', quickjs: '2025-04-26', modules: '115', unicode: '16.0' };
process.arch = 'x64';
process.platform = 'linux';
process.release = { name: 'node', lts: 'Iron' };
process.moduleLoadList = [];
process.features = { inspector: false, debug: false, uv: true, ipv6: false, tls_alpn: false, tls_sni: false, tls_ocsp: false, tls: false, cached_builtins: true };
process.config = { target_defaults: {}, variables: {} };
process.execArgv = [];
process.exitCode = undefined;

let started = 0, exiting = false;

process.cwd = function cwd() { return check(host.cwd(), 'uv_cwd'); };
process.chdir = function chdir(dir) {
  if (typeof dir !== 'string') throw invalidArgType('directory', 'string', dir);
  const from = host.cwd();
  check(host.chdir(dir), 'chdir', typeof from === 'string' ? from : undefined, dir);
};
process.umask = function umask(mask) { return mask === undefined ? host.umask() : host.umask(typeof mask === 'string' ? parseInt(mask, 8) : mask); };
process.uptime = () => (host.now(1) - started) / 1000;
process.hrtime = function hrtime(since) {
  const ns = host.nanoseconds();
  if (since === undefined) return [Number(ns / 1000000000n), Number(ns % 1000000000n)];
  if (!Array.isArray(since)) throw invalidArgType('time', 'Array', since);
  const d = ns - (BigInt(since[0]) * 1000000000n + BigInt(since[1]));
  return [Number(d / 1000000000n), Number(d % 1000000000n)];
};
process.hrtime.bigint = () => host.nanoseconds();
process.memoryUsage = function memoryUsage() {
  const [used, whole] = host.memoryUsage();
  return { rss: whole, heapTotal: whole, heapUsed: used, external: 0, arrayBuffers: 0 };
};
process.memoryUsage.rss = () => host.memoryUsage()[1];
process.constrainedMemory = () => require('os').totalmem();
process.availableMemory = () => require('os').freemem();
process.cpuUsage = (since) => {
  const user = Math.round(host.cpu());
  return { user: user - (since?.user ?? 0), system: 0 };
};
process.resourceUsage = () => ({ userCPUTime: Math.round(host.cpu()), systemCPUTime: 0, maxRSS: Math.round(host.memoryUsage()[1] / 1024), sharedMemorySize: 0, unsharedDataSize: 0,
  unsharedStackSize: 0, minorPageFault: 0, majorPageFault: 0, swappedOut: 0, fsRead: 0, fsWrite: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 });
process.nextTick = function nextTick(f, ...args) {
  if (typeof f !== 'function') throw invalidArgType('callback', 'function', f);
  if (!exiting) loop.nextTick(f, ...args);
};
for (const [name, which] of [['getuid', 3], ['geteuid', 3], ['getgid', 4], ['getegid', 4]]) process[name] = () => host.id(which);
process.getgroups = () => [host.id(4)];
process.abort = function abort() {
  host.kill(host.id(0), 6);
  host.exit(134);
};
process.kill = function kill(pid, signal = 'SIGTERM') {
  if (pid != (pid | 0)) throw invalidArgType('pid', 'number', pid);
  const n = typeof signal === 'number' ? signal : signals[signal];
  if (n === undefined) throw withCode(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
  check(host.kill(pid | 0, n), 'kill');
  return true;
};

function exitStatus(code) {
  if (code === undefined || code === null) return 0;
  const n = typeof code === 'string' && code !== '' ? Number(code) : code;
  if (typeof n !== 'number') throw invalidArgType('code', 'number', code);
  if (!Number.isInteger(n)) throw outOfRange('code', 'an integer', code);
  return n & 255;
}

process.exit = function exit(code) {
  if (code !== undefined) {
    exitStatus(code);
    process.exitCode = code;
  }
  if (!exiting) {
    exiting = true;
    process._exiting = true;
    process.emit('exit', process.exitCode || 0);
  }
  process.reallyExit(process.exitCode || 0);
};
process.reallyExit = (code) => host.exit(exitStatus(code));
process._exiting = false;

process.emitWarning = function emitWarning(warning, type, code, ctor) {
  let detail;
  if (type !== null && typeof type === 'object' && !Array.isArray(type)) ({ type, code, detail, ctor } = type);
  if (typeof type === 'function') type = undefined;
  if (typeof code === 'function') code = undefined;
  if (typeof warning === 'string') {
    warning = new Error(warning);
    warning.name = String(type || 'Warning');
    if (code !== undefined) warning.code = code;
    if (detail !== undefined) warning.detail = detail;
  } else if (!(warning instanceof Error)) {
    throw invalidArgType('warning', ['string', 'Error'], warning);
  }
  if (warning.name === 'DeprecationWarning' && process.noDeprecation) return;
  loop.nextTick(() => {
    if (process.emit('warning', warning) || process.env.NODE_NO_WARNINGS === '1' || process.noWarnings) return;
    let text = `(node:${process.pid}) ${warning.code ? `[${warning.code}] ` : ''}${warning.name}: ${warning.message}\n`;
    if (warning.detail) text += `${warning.detail}\n`;
    const which = warning.name === 'DeprecationWarning' ? '--trace-deprecation' : '--trace-warnings';
    if (!traceSaid) text += `(Use \`${require('path').basename(process.argv0)} ${which} ...\` to show where the warning was created)\n`;
    traceSaid = true;
    host.writeText(2, text);
  });
};
let traceSaid = false;

process.binding = (name) => { throw withCode(Error, 'ERR_INVALID_MODULE', `No such module: ${name}`); };
process.dlopen = () => { throw notHere('process.dlopen', 'native addons cannot be loaded'); };
process.getBuiltinModule = (name) => {
  const bare = name.startsWith('node:') ? name.slice(5) : name;
  return host.isBuiltin(bare) ? require(bare) : undefined;
};
process.setUncaughtExceptionCaptureCallback = (f) => { process.captured = f; };
process.hasUncaughtExceptionCaptureCallback = () => !!process.captured;
Object.defineProperty(process, 'captured', { value: null, writable: true, enumerable: false });
process.setSourceMapsEnabled = (on) => { if (on) throw notHere('a source map'); };
process.loadEnvFile = (path = '.env') => {
  const found = require('internal/dotenv')(require('fs').readFileSync(path, 'utf8'));
  for (const k of Object.keys(found)) if (!(k in process.env)) process.env[k] = found[k];
};
process.report = undefined;
process.allowedNodeEnvironmentFlags = new Set();
process.assert = (v, message) => require('assert')(v, message);
process._getActiveHandles = () => [];
process._getActiveRequests = () => [];
process.getActiveResourcesInfo = () => [];

for (const [fd, name] of [[0, 'stdin'], [1, 'stdout'], [2, 'stderr']]) {
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get() {
    const value = require('internal/stdio')(fd);
    if (fd) require('internal/console').streams[fd] = value;
    Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true });
    return value;
  }, set(value) { Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true }); } });
}
process.openStdin = () => { process.stdin.resume(); return process.stdin; };

// Names are strings, values become strings.
function environment(list) {
  const env = {};
  for (const s of list) {
    const at = s.indexOf('=');
    if (at > 0) env[s.slice(0, at)] = s.slice(at + 1);
  }
  return new Proxy(env, {
    set(t, k, v) {
      if (typeof k === 'symbol' || typeof v === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
      t[k] = String(v);
      if (k === 'TZ') host.setZone(t[k]);
      return true;
    },
    deleteProperty(t, k) {
      if (k === 'TZ') host.setZone('');
      return delete t[k];
    },
    defineProperty(t, k, d) {
      if ('value' in d) d = { ...d, value: String(d.value), writable: true, enumerable: true, configurable: true };
      return Reflect.defineProperty(t, k, d);
    },
  });
}

function begin(args, env) {
  started = host.now(1);
  process.env = environment(env);
  if (process.env.TZ) host.setZone(process.env.TZ);
  process.argv0 = args[0];
  process.execPath = '/usr/bin/node';
  process.argv = [process.execPath];
  process.pid = host.id(0);
  process.ppid = host.id(1);
  process.debugPort = 9229;
}

module.exports = { process, begin, signals, exitStatus, isExiting: () => exiting, setExiting() { exiting = true; process._exiting = true; } };
