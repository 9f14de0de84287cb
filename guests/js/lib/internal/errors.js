// Errors as Node has them: of the system (code, errno, syscall, path) and its own (ERR_...).
const { inspect } = require('internal/inspect');

const TEXTS = `EPERM 1 operation not permitted
ENOENT 2 no such file or directory
ESRCH 3 no such process
EINTR 4 interrupted system call
EIO 5 i/o error
ENXIO 6 no such device or address
E2BIG 7 argument list too long
ENOEXEC 8 exec format error
EBADF 9 bad file descriptor
ECHILD 10 no child processes
EAGAIN 11 resource temporarily unavailable
ENOMEM 12 not enough memory
EACCES 13 permission denied
EFAULT 14 bad address in system call argument
EBUSY 16 resource busy or locked
EEXIST 17 file already exists
EXDEV 18 cross-device link not permitted
ENODEV 19 no such device
ENOTDIR 20 not a directory
EISDIR 21 illegal operation on a directory
EINVAL 22 invalid argument
ENFILE 23 file table overflow
EMFILE 24 too many open files
ENOTTY 25 inappropriate ioctl for device
ETXTBSY 26 text file is busy
EFBIG 27 file too large
ENOSPC 28 no space left on device
ESPIPE 29 invalid seek
EROFS 30 read-only file system
EMLINK 31 too many links
EPIPE 32 broken pipe
ERANGE 34 result too large
ENAMETOOLONG 36 name too long
ENOSYS 38 function not implemented
ENOTEMPTY 39 directory not empty
ELOOP 40 too many symbolic links encountered
EOVERFLOW 75 value too large for defined data type
EILSEQ 84 illegal byte sequence
ENOTSUP 95 operation not supported on socket
ENETUNREACH 101 network is unreachable
ETIMEDOUT 110 connection timed out
ECONNREFUSED 111 connection refused`;
const byNumber = new Map(), byCode = new Map();
for (const line of TEXTS.split('\n')) {
  const [, code, number, text] = /^(\S+) (\d+) (.*)$/.exec(line);
  byNumber.set(Number(number), [code, text]);
  byCode.set(code, Number(number));
}

// The error for what the host returned (a negative number).
function systemError(number, syscall, path, dest) {
  const [code, text] = byNumber.get(-number) ?? [`Unknown system error ${number}`, 'unknown error'];
  let message = `${code}: ${text}, ${syscall}`;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const e = new Error(message);
  e.errno = number;
  e.code = code;
  e.syscall = syscall;
  if (path !== undefined) e.path = String(path);
  if (dest !== undefined) e.dest = String(dest);
  return e;
}

function check(result, syscall, path, dest) {
  if (typeof result === 'number' && result < 0) {
    const e = systemError(result, syscall, path, dest);
    host.captureStackTrace(e, check);
    throw e;
  }
  return result;
}

function withCode(Base, code, message) {
  const e = new Base(message);
  e.code = code;
  // The code is part of the title in the trace, not of the message.
  Object.defineProperty(e, 'name', { value: `${Base.name} [${code}]`, configurable: true, writable: true, enumerable: false });
  host.captureStackTrace(e, withCode);
  delete e.name;
  Object.defineProperty(e, 'toString', { value() { return `${this.name} [${code}]: ${this.message}`; }, configurable: true, writable: true, enumerable: false });
  return e;
}

function described(value) {
  if (value == null) return ` Received ${value}`;
  if (typeof value === 'function') return ` Received function ${value.name}`;
  if (typeof value === 'object') {
    if (value.constructor?.name) return ` Received an instance of ${value.constructor.name}`;
    return ` Received ${inspect(value, { depth: -1 })}`;
  }
  let shown = inspect(value, { colors: false });
  if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${shown})`;
}

const KINDS = ['string', 'function', 'number', 'object', 'boolean', 'bigint', 'symbol', 'Function', 'Object'];

function list(words, last) {
  if (words.length < 3) return words.join(` ${last} `);
  return `${words.slice(0, -1).join(', ')}, ${last} ${words[words.length - 1]}`;
}

function invalidArgType(name, expected, actual) {
  const wanted = Array.isArray(expected) ? expected : [expected];
  const types = wanted.filter((w) => KINDS.includes(w)).map((w) => w.toLowerCase());
  const classes = wanted.filter((w) => !KINDS.includes(w) && /^[A-Z]/.test(w));
  const others = wanted.filter((w) => !KINDS.includes(w) && !/^[A-Z]/.test(w));
  let message = name.endsWith(' argument') ? `The ${name} must be ` : `The "${name}" ${name.includes('.') ? 'property' : 'argument'} must be `;
  const parts = [];
  if (types.length) parts.push(`${types.length > 1 ? 'one of type' : 'of type'} ${list(types, 'or')}`);
  if (classes.length) parts.push(`an instance of ${list(classes, 'or')}`);
  if (others.length) parts.push(others.length > 1 ? `one of ${list(others, 'or')}` : others[0]);
  message += parts.join(' or ');
  const e = withCode(TypeError, 'ERR_INVALID_ARG_TYPE', `${message}.${described(actual)}`);
  return e;
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let shown = inspect(value);
  if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
  return withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${shown}`);
}

function grouped(n) {
  const s = String(n);
  const sign = s.startsWith('-') ? '-' : '';
  return sign + s.slice(sign.length).replace(/\B(?=(\d{3})+$)/g, '_');
}

function outOfRange(name, range, value) {
  const shown = Number.isInteger(value) && Math.abs(value) > 2 ** 32 ? grouped(value) : inspect(value);
  return withCode(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`);
}

// Not there in this sandbox, said the same way everywhere.
function notHere(what, why) {
  return withCode(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `${what} is not available in this sandbox${why ? `: ${why}` : ''}`);
}

function needString(value, name) {
  if (typeof value !== 'string') throw invalidArgType(name, 'string', value);
}

function needFunction(value, name) {
  if (typeof value !== 'function') throw invalidArgType(name, 'function', value);
}

function needInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options) {
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
  }
}

module.exports = { systemError, check, withCode, invalidArgType, invalidArgValue, outOfRange, notHere, needString, needFunction, needInteger, AbortError,
  byNumber, byCode };
