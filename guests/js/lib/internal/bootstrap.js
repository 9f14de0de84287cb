// The first file that is evaluated: how the library's files find each other, and what a run begins with.
const cache = Object.create(null);
const names = new Set(host.libraryNames());

function load(name) {
  if (name.startsWith('node:')) name = name.slice(5);
  const there = cache[name];
  if (there) return there.exports;
  const make = host.library(name);
  if (make === undefined) throw new Error(`no file ${name} in the library`);
  const m = cache[name] = { exports: {} };
  make(m.exports, load, m, host);
  return m.exports;
}

// What a program may require: all but internal/.
host.builtins = [...names].filter((n) => !n.startsWith('internal/'));
host.isBuiltin = (name) => names.has(name) && !name.startsWith('internal/');
host.builtin = load;

load('internal/intrinsics');
// Those that nearly every run uses, evaluated before the freeze.
for (const name of ['internal/errors', 'internal/locale', 'internal/inspect', 'events', 'buffer', 'path', 'internal/url_parser', 'url', 'internal/loop', 'internal/fs_sync', 'fs', 'util',
  'timers', 'internal/console', 'internal/process', 'stream', 'string_decoder', 'internal/fatal', 'internal/cjs', 'internal/esm', 'internal/added', 'internal/globals',
  'internal/main']) load(name);
return load('internal/main').run;
