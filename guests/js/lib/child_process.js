// child_process: other programs of the sandbox, in procs of their own.
const EventEmitter = require('events');
const { Buffer } = require('buffer');
const { systemError, withCode, invalidArgType, needString, AbortError, notHere } = require('internal/errors');
const { signals } = require('internal/process');
const loop = require('internal/loop');
const path = require('path');
const { names: fs, pathOf } = require('internal/fs_sync');

const SHELL = '/bin/sh';

// ---- Starting ------------------------------------------------------------------------------------------

// The file that a name stands for in PATH; a negative number when there is none.
function find(name, env, cwd) {
  if (name.includes('/')) return path.resolve(cwd ?? process.cwd(), name);
  let why = -2;
  for (const dir of (env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':')) {
    const full = path.resolve(cwd ?? process.cwd(), dir || '.', name);
    const st = host.stat(full, 0);
    if (typeof st === 'number' || (st[2] & 61440) !== 32768) continue;
    if (host.access(full, 1) >= 0) return full;
    why = -13;
  }
  return why;
}

function normalized(file, args, options) {
  needString(file, 'file');
  if (file === '') throw require('internal/errors').invalidArgValue('file', file, 'cannot be empty');
  if (args === undefined || args === null) args = [];
  else if (!Array.isArray(args)) options = args, args = [];
  options = { ...options };
  if (options.cwd !== undefined && options.cwd !== null) options.cwd = pathOf(options.cwd, 'options.cwd');
  args = args.map(String);
  if (options.shell) {
    const command = [file, ...args].join(' ');
    file = typeof options.shell === 'string' ? options.shell : SHELL;
    args = ['-c', command];
  }
  const env = { ...(options.env ?? process.env) };
  return { file, args: [options.argv0 ?? file, ...args], env, options };
}

// stdio as one of pipe, ignore, inherit, or a descriptor, three of them or more.
function wishes(stdio, otherwise = 'pipe') {
  if (stdio === undefined || stdio === null) stdio = otherwise;
  const list = typeof stdio === 'string' ? [stdio, stdio, stdio] : [...stdio];
  while (list.length < 3) list.push(otherwise);
  return list.map((w, i) => {
    if (w === undefined || w === null) return i < 3 ? otherwise : 'ignore';
    if (w === 'overlapped') return 'pipe';
    if (w === 'inherit') return i;
    if (w === 'pipe' || w === 'ignore' || typeof w === 'number') return w;
    if (w === 'ipc') throw notHere('an ipc channel', 'write to the standard streams instead');
    if (typeof w.fd === 'number') return w.fd;
    throw require('internal/errors').invalidArgValue('stdio', w);
  });
}

// {pid, ours: our ends of the pipes}, or {error}
function start(file, args, env, options, stdio) {
  const full = find(file, env, options.cwd);
  if (typeof full === 'number') return { error: full };
  const moves = [], close = [], ours = [];
  for (let i = 0; i < stdio.length; i++) {
    const w = stdio[i];
    if (w === 'pipe') {
      const p = host.pipe();
      if (typeof p === 'number') return { error: p };
      const [theirs, own] = i === 0 ? p : [p[1], p[0]];
      moves.push(theirs, i);
      close.push(theirs);
      ours[i] = own;
    } else if (w === 'ignore') {
      const fd = host.open('/dev/null', 3, 0);
      moves.push(fd, i);
      close.push(fd);
    } else {
      moves.push(w, i);
    }
  }
  const pid = host.spawn(full, args, Object.keys(env).filter((k) => env[k] !== undefined).map((k) => `${k}=${env[k]}`), moves, options.cwd ?? '', options.detached ? -1 : 0);
  for (const fd of close) host.close(fd);
  if (pid < 0) {
    for (const fd of ours) if (fd !== undefined) host.close(fd);
    return { error: pid };
  }
  return { pid, ours };
}

const signalName = (n) => Object.keys(signals).find((k) => signals[k] === n) ?? `SIG${n}`;
function signalNumber(s, otherwise) {
  if (s === undefined || s === null) return otherwise;
  const n = typeof s === 'number' ? s : signals[s];
  if (n === undefined) throw withCode(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${s}`);
  return n;
}

// ---- Waiting for it ----------------------------------------------------------------------------------------

const MAX = 1024 * 1024;

function run(file, args, env, options, otherwise) {
  const stdio = wishes(options.stdio, otherwise);
  const began = host.now(1);
  const started = start(file, args, env, options, stdio);
  if (started.error !== undefined) {
    const e = systemError(started.error, `spawnSync ${file}`);
    e.message = `spawnSync ${file} ${e.code}`;
    e.path = file;
    e.spawnargs = args.slice(1);
    return { error: e, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const { pid, ours } = started;
  const max = options.maxBuffer ?? MAX, chunks = [], sizes = [];
  let error, killed = false;
  const kill = (why) => {
    if (!killed) host.kill(pid, signalNumber(options.killSignal, 15));
    killed = true;
    error ??= why;
  };
  feed(ours, options.input);
  const buffer = new ArrayBuffer(65536);
  const open = new Set();
  ours.forEach((fd, i) => { if (i > 0) open.add(i), chunks[i] = [], sizes[i] = 0; });
  let ended = null;
  while (open.size || ended === null) {
    const left = options.timeout > 0 ? options.timeout - (host.now(1) - began) : Infinity;
    if (left <= 0 && !killed) kill(timedOut(file, args));
    if (open.size === 0) {
      // Only its end is waited for now.
      const w = options.timeout > 0 && !killed ? host.wait(pid, 0) : host.wait(pid, 1);
      if (Array.isArray(w)) ended = w;
      else if (w < 0) ended = [pid, 0, 0];
      else host.sleep(Math.min(5, Math.max(1, left)));
      continue;
    }
    const ready = host.poll([...open].map((i) => ours[i]), left === Infinity || killed ? -1 : Math.max(0, left));
    for (const i of [...open]) {
      if (!ready.includes(ours[i])) continue;
      const n = host.read(ours[i], buffer, 0, 65536, -1);
      if (n <= 0) {
        host.close(ours[i]);
        open.delete(i);
        continue;
      }
      sizes[i] += n;
      const room = Math.min(n, Math.max(0, max - (sizes[i] - n)));
      chunks[i].push(Buffer.from(buffer.slice(0, room)));
      if (sizes[i] > max) {
        const e = systemError(-105, `spawnSync ${file}`);
        Object.assign(e, { message: `spawnSync ${file} ENOBUFS`, code: 'ENOBUFS', errno: -105, path: file, spawnargs: args.slice(1) });
        kill(e);
      }
    }
  }
  const text = (b) => (options.encoding && options.encoding !== 'buffer' ? b.toString(options.encoding) : b);
  const output = stdio.map((w, i) => (i > 0 && chunks[i] ? text(Buffer.concat(chunks[i])) : null));
  const r = { status: ended[2] ? null : ended[1], signal: ended[2] ? signalName(ended[2]) : null, output, pid, stdout: output[1], stderr: output[2] };
  if (error) r.error = error;
  return r;
}

function timedOut(file, args) {
  const e = systemError(-110, `spawnSync ${file}`);
  e.message = `spawnSync ${file} ETIMEDOUT`;
  e.path = file;
  e.spawnargs = args.slice(1);
  return e;
}

// What it is to read: through a file, so that nobody waits for anybody.
function feed(ours, input) {
  if (ours[0] === undefined) return;
  const bytes = input === undefined || input === null ? null : typeof input === 'string' ? Buffer.from(input) : Buffer.from(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength);
  if (bytes && bytes.length) {
    if (bytes.length <= 32768) host.write(ours[0], bytes.buffer, bytes.byteOffset, bytes.length, -1);
    else throw new Error('unreachable: large input goes through a file');
  }
  host.close(ours[0]);
}

// A descriptor that reads `input`.
function inputFile(input) {
  const bytes = typeof input === 'string' ? Buffer.from(input) : Buffer.from(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength);
  if (bytes.length <= 32768) return null;
  const dir = require('os').tmpdir();
  const name = fs.mkdtempSync(path.join(dir, '.js-input-'));
  fs.writeFileSync(`${name}/in`, bytes, { mode: 0o600 });
  const fd = fs.openSync(`${name}/in`, 'r');
  fs.unlinkSync(`${name}/in`);
  fs.rmdirSync(name);
  return fd;
}

function spawnSync(file, args, options) {
  const n = normalized(file, args, options);
  const o = n.options;
  let fd = null;
  if (o.input !== undefined && o.input !== null) {
    fd = inputFile(o.input);
    if (fd !== null) {
      const stdio = wishes(o.stdio);
      stdio[0] = fd;
      o.stdio = stdio;
      o.input = undefined;
    }
  }
  try {
    return run(n.file, n.args, n.env, o, 'pipe');
  } finally {
    if (fd !== null) host.close(fd);
  }
}

function checked(r, command, options) {
  if (options.stdio === undefined && r.stderr && r.stderr.length) process.stderr.write(r.stderr);
  if (r.error) throw Object.assign(r.error, r, { error: r.error });
  if (r.status !== 0) {
    let message = `Command failed: ${command}`;
    if (r.stderr && r.stderr.length > 0) message += `\n${r.stderr.toString()}`;
    const e = new Error(message);
    host.captureStackTrace(e, checked);
    throw Object.assign(e, { status: r.status, signal: r.signal, output: r.output, pid: r.pid, stdout: r.stdout, stderr: r.stderr });
  }
  return r.stdout;
}

function execSync(command, options = {}) {
  needString(command, 'command');
  return checked(spawnSync(command, [], { ...options, shell: typeof options.shell === 'string' ? options.shell : true }), command, options);
}
function execFileSync(file, args, options) {
  if (args !== undefined && args !== null && !Array.isArray(args)) options = args, args = [];
  return checked(spawnSync(file, args, options), [file, ...(args ?? [])].join(' '), options ?? {});
}

// ---- Beside it ---------------------------------------------------------------------------------------------

const children = new Map();

// Looks whether children have ended; asked for again while there are any.
function reap() {
  for (const [pid, c] of [...children]) {
    const w = host.wait(pid, 0);
    if (w === 0) continue;
    children.delete(pid);
    loop.release();
    c.ended(Array.isArray(w) ? w : [pid, 0, 0]);
  }
}
let delay = 1, timer = null;
function watchChildren(soon) {
  if (timer !== null && !soon) return;
  if (timer) timer.alive = false;
  timer = null;
  if (children.size === 0) return;
  timer = loop.addTimer(delay, () => {
    timer = null;
    const before = children.size;
    reap();
    delay = children.size < before ? 1 : Math.min(delay * 2, 20);
    watchChildren();
  }, false);
}

class ChildProcess extends EventEmitter {
  constructor() {
    super();
    Object.assign(this, { connected: false, signalCode: null, exitCode: null, killed: false, spawnfile: null, spawnargs: [], stdin: null, stdout: null, stderr: null, stdio: [], pid: undefined });
    Object.defineProperty(this, 'pending', { value: 1, writable: true, enumerable: false });
  }
  begin(n) {
    const { Input, Output } = require('internal/stdio');
    this.spawnfile = n.file;
    this.spawnargs = n.args;
    const stdio = wishes(n.options.stdio);
    const r = start(n.file, n.args, n.env, n.options, stdio);
    if (r.error !== undefined) {
      const e = systemError(r.error, `spawn ${n.file}`);
      e.message = `spawn ${n.file} ${e.code}`;
      e.path = n.file;
      e.spawnargs = n.args.slice(1);
      this.exitCode = r.error;
      const { PassThrough } = require('stream');
      stdio.forEach((w, i) => {
        this.stdio[i] = w === 'pipe' ? new PassThrough() : null;
        if (i > 0) this.stdio[i]?.end();
      });
      [this.stdin, this.stdout, this.stderr] = this.stdio;
      process.nextTick(() => {
        this.emit('error', e);
        this.emit('close', r.error, null);
      });
      return;
    }
    this.pid = r.pid;
    stdio.forEach((w, i) => {
      if (w !== 'pipe') {
        this.stdio[i] = null;
        return;
      }
      const s = i === 0 ? new Output(r.ours[0]) : new Input(r.ours[i]);
      const fd = r.ours[i];
      s._destroy = ((inner) => (e, cb) => inner.call(s, e, (x) => { host.close(fd); cb(x); }))(s._destroy);
      s._readableState && (s._readableState.emitClose = true);
      if (i > 0) {
        this.pending++;
        s.once('close', () => this.part());
        process.nextTick(() => { if (s.listenerCount('data') === 0 && s.listenerCount('readable') === 0 && this.draining) s.resume(); });
      } else {
        s.on('error', () => {}); // it may have ended
        s._final = (cb) => { s.destroy(); cb(); };
      }
      this.stdio[i] = s;
    });
    [this.stdin, this.stdout, this.stderr] = this.stdio;
    children.set(this.pid, this);
    loop.hold();
    delay = 1;
    watchChildren(true);
    process.nextTick(() => this.emit('spawn'));
  }
  ended([, status, signal]) {
    if (signal) this.signalCode = signalName(signal);
    else this.exitCode = status;
    this.stdin?.destroy();
    loop.step(() => {
      this.emit('exit', this.exitCode, this.signalCode);
      // What nobody reads is read to its end.
      for (const s of this.stdio.slice(1)) if (s && !s.destroyed && s.listenerCount('data') === 0 && s.listenerCount('readable') === 0) s.resume();
      this.part();
    });
  }
  part() {
    if (--this.pending === 0) this.emit('close', this.exitCode, this.signalCode);
  }
  kill(signal) {
    const n = signalNumber(signal, 15);
    if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false;
    const ok = host.kill(this.pid, n) >= 0;
    if (ok && n) this.killed = true;
    return ok;
  }
  ref() {}
  unref() { if (children.has(this.pid)) { children.delete(this.pid); loop.release(); } }
  disconnect() {}
  send() { throw notHere('an ipc channel', 'write to the standard streams instead'); }
}
for (const k of ['begin', 'ended', 'part']) Object.defineProperty(ChildProcess.prototype, k, { enumerable: false });

function spawn(file, args, options) {
  const n = normalized(file, args, options);
  const c = new ChildProcess();
  c.begin(n);
  const { timeout, signal, killSignal } = n.options;
  if (timeout > 0) {
    const t = setTimeout(() => c.kill(killSignal), timeout);
    c.once('exit', () => clearTimeout(t));
  }
  if (signal) {
    const stop = () => {
      if (c.kill(killSignal)) c.emit('error', new AbortError(undefined, { cause: signal.reason }));
    };
    if (signal.aborted) process.nextTick(stop);
    else signal.addEventListener('abort', stop, { once: true });
  }
  return c;
}

function execFile(file, args, options, cb) {
  if (typeof args === 'function') cb = args, args = [], options = {};
  else if (!Array.isArray(args)) cb = options, options = args, args = [];
  if (typeof options === 'function') cb = options, options = {};
  options = { encoding: 'utf8', timeout: 0, maxBuffer: MAX, killSignal: 'SIGTERM', ...options };
  const c = spawn(file, args ?? [], { ...options, timeout: undefined, stdio: 'pipe' });
  const parts = { stdout: [], stderr: [] };
  let failed = null, timer = null;
  const collect = (name) => {
    let size = 0;
    c[name]?.on('data', (b) => {
      size += b.length;
      parts[name].push(b);
      if (size > options.maxBuffer && !failed) {
        failed = withCode(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
        c.kill(options.killSignal);
      }
    });
  };
  collect('stdout');
  collect('stderr');
  if (options.timeout > 0) timer = setTimeout(() => { c.killed = true; c.kill(options.killSignal); }, options.timeout);
  const text = (list) => {
    const b = Buffer.concat(list);
    return options.encoding && options.encoding !== 'buffer' ? b.toString(options.encoding) : b;
  };
  let called = false;
  const done = (code, signal) => {
    if (called) return;
    called = true;
    if (timer) clearTimeout(timer);
    if (!cb) return;
    const out = text(parts.stdout), err = text(parts.stderr);
    if (!failed && code === 0 && signal === null) {
      cb(null, out, err);
      return;
    }
    const cmd = options.shown ?? [file, ...(args ?? [])].join(' ');
    const e = failed ?? new Error(`Command failed: ${cmd}\n${err}`);
    if (!failed) Object.assign(e, { code: code < 0 ? systemErrorName(code) : code, killed: c.killed, signal });
    e.cmd = cmd;
    e.stdout = out;
    e.stderr = err;
    cb(e, out, err);
  };
  c.on('close', done);
  c.on('error', (e) => { failed = failed ?? e; done(-1, null); });
  return c;
}
const systemErrorName = (n) => require('internal/errors').byNumber.get(-n)?.[0] ?? n;

function exec(command, options, cb) {
  if (typeof options === 'function') cb = options, options = {};
  needString(command, 'command');
  return execFile(command, [], { ...options, shown: command, shell: typeof options?.shell === 'string' ? options.shell : true }, cb);
}
const custom = Symbol.for('nodejs.util.promisify.custom');
for (const f of [exec, execFile]) {
  Object.defineProperty(f, custom, { enumerable: false, value(...args) {
    let c;
    const p = new Promise((resolve, reject) => { c = f(...args, (e, stdout, stderr) => (e ? reject(Object.assign(e, { stdout, stderr })) : resolve({ stdout, stderr }))); });
    p.child = c;
    return p;
  } });
}
function fork(file, args, options) {
  if (args !== undefined && !Array.isArray(args)) options = args, args = [];
  throw notHere('child_process.fork', 'there is no ipc channel; use spawn(process.execPath, [file])');
}
module.exports = { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
