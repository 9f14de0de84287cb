// What an error that nobody caught prints, and what happens to promises that nobody looks at.
const { inspect } = require('internal/inspect');
const path = require('path');
const loop = require('internal/loop');
const { process, exitStatus, setExiting } = require('internal/process');

const sources = new Map(); // text of files that were loaded, by the name that traces give

// "file:line", the line and a caret below its column: where it was thrown, or made.
function excerpt(error, made) {
  const at = made ? placeInStack(error) ?? host.thrownAt(error) : host.thrownAt(error) ?? placeInStack(error);
  if (!at) return '';
  const [file, line, column] = at;
  let text = sources.get(file);
  if (text === undefined && (file.startsWith('/') || file.startsWith('file:'))) {
    try {
      text = require('internal/fs_sync').names.readFileSync(file.startsWith('file:') ? new URL(file) : file, 'utf8');
    } catch { /* it is gone */ }
  }
  const source = text?.split('\n')[line - 1];
  if (source === undefined) return `${file}:${line}\n`;
  const indent = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${file}:${line}\n${source}\n${indent}^\n`;
}

function placeInStack(error) {
  const m = /\n {4}at (?:.* \()?((?:\/|file:|\[eval)[^\n]*?):(\d+):(\d+)\)?(?=\n|$)/.exec(error?.stack ?? '');
  return m && [m[1], Number(m[2]), Number(m[3])];
}

function text(error, fromPromise, fromModule) {
  const isError = host.classOf(error) === 'Error' || error instanceof Error;
  let out = '';
  if (isError) {
    let shown = inspect(error);
    if (!error.stack?.includes('\n    at ')) shown = shown.replace(/^\[([^]*?)\](?= \{\n|$)/, '$1');
    out = `${excerpt(error, fromPromise || fromModule)}\n${shown}\n`;
  } else if (fromPromise) {
    const e = new Error(`This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${
      typeof error === 'object' && error !== null ? inspect(error, { depth: 0 }) : String(error)}".`);
    e.name = 'UnhandledPromiseRejection';
    e.code = 'ERR_UNHANDLED_REJECTION';
    e.stack = `UnhandledPromiseRejection: ${e.message}`;
    out = `${inspect(e).replace(/^\[([^]*)\] \{/, '$1 {')}\n`;
  } else if (error !== null && typeof error === 'object') {
    out = `${excerpt(error)}\n${inspect(error)}\n`;
  } else {
    out = `Uncaught:\n${inspect(error)}\n(Use \`${path.basename(process.argv0)} --trace-uncaught ...\` to show where the exception was thrown)\n`;
    const place = excerpt(error);
    if (place) out = `\n${place}${typeof error === 'string' ? error : inspect(error)}\n(Use \`${path.basename(process.argv0)} --trace-uncaught ...\` to show where the exception was thrown)\n`;
  }
  return `${out}\nNode.js ${process.version}\n`;
}

function die(error, fromPromise, fromModule) {
  host.memoryLimit(-1); // it may be what has run out
  let message;
  try {
    message = text(error, fromPromise, fromModule);
  } catch {
    message = `Uncaught: ${host.classOf(error)}\n`;
  }
  const begun = process._exiting;
  setExiting();
  process.exitCode = process.exitCode === undefined || process.exitCode === 0 ? 1 : process.exitCode;
  try {
    if (!begun) process.emit('exit', process.exitCode);
  } catch { /* too late */ }
  host.writeText(2, message);
  let status = 1;
  try {
    status = exitStatus(process.exitCode);
  } catch { /* not a number */ }
  host.exit(status);
}

function uncaught(error, fromPromise = false, fromModule = false) {
  const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
  try {
    if (process.listenerCount('uncaughtExceptionMonitor')) process.emit('uncaughtExceptionMonitor', error, origin);
    if (process.captured) {
      process.captured(error);
      return;
    }
    if (process.listenerCount('uncaughtException')) {
      process.emit('uncaughtException', error, origin);
      return;
    }
  } catch (e) {
    setExiting();
    host.writeText(2, text(e, false));
    host.exit(7);
  }
  die(error, fromPromise, fromModule);
}

// ---- Rejections ------------------------------------------------------------------------------------------

const pending = new Map(), reported = new Set();
let mode = 'throw';

host.onRejection((promise, reason, handled) => {
  if (!handled) pending.set(promise, reason);
  else if (!pending.delete(promise) && reported.delete(promise)) loop.nextTick(() => process.emit('rejectionHandled', promise));
});

// True when something was done that may want more.
function rejections() {
  if (pending.size === 0) return false;
  const list = [...pending];
  pending.clear();
  for (const [promise, reason] of list) {
    reported.add(promise);
    if (mode === 'none') continue;
    if (mode !== 'strict' && process.listenerCount('unhandledRejection')) {
      try {
        process.emit('unhandledRejection', reason, promise);
      } catch (e) {
        uncaught(e);
      }
    } else if (mode === 'warn') {
      process.emitWarning(`Unhandled promise rejection. ${inspect(reason)}`, 'UnhandledPromiseRejectionWarning');
    } else {
      uncaught(reason, true);
    }
  }
  return true;
}

loop.set({ onUncaught: uncaught, afterMicrotasks: rejections });
module.exports = { sources, uncaught, die, setMode(m) { mode = m; } };
