// A run: options, what is to be evaluated, the loop, the end.
const { process, begin } = require('internal/process');
const loop = require('internal/loop');
const fatal = require('internal/fatal');
const cjs = require('internal/cjs');
const esm = require('internal/esm');
const globals = require('internal/globals');
const added = require('internal/added');
const path = require('path');
const { names: fs } = require('internal/fs_sync');

const MEMORY = 64 << 20;

const HELP = `Usage: js [options] [ script.js | -e script | - ] [arguments]

JavaScript (QuickJS) with Node's modules, in the sandbox.

Options:
  -                       script read from stdin (default if no file name is given)
  --                      indicate the end of options
  -c, --check             syntax check script without executing
  -e, --eval=...          evaluate script
  -h, --help              print this message
  -i, --interactive       not available: give the script by -e, a file or stdin
  --input-type=...        "module" or "commonjs": what -e and stdin are
  --max-old-space-size=N  memory for the program, in MiB (default 64)
  --no-warnings           silence all warnings
  -p, --print [...]       evaluate script and print result
  -r, --require=...       module to preload
  --unhandled-rejections=strict|warn|none|throw
  -v, --version           print the version
`;

// What they ask for is always so here.
const ACCEPTED = new Set(['--no-deprecation', '--trace-deprecation', '--trace-warnings', '--harmony', '--experimental-modules', '--experimental-json-modules',
  '--experimental-detect-module', '--experimental-require-module', '--no-experimental-fetch', '--no-addons']);

function bad(text) {
  host.writeText(2, `${process.argv0}: ${text}\n`);
  host.exit(9);
}

// {mode, code, print, file, args, type...}
function parse(argv) {
  const o = { preload: [], args: [], type: undefined, memory: MEMORY, imports: [] };
  const nodeOptions = (process.env.NODE_OPTIONS ?? '').split(/\s+/).filter(Boolean);
  let list = [...nodeOptions, ...argv], i = 0;
  const value = (name, inline) => {
    if (inline !== undefined) return inline;
    if (i + 1 >= list.length) bad(`${name} requires an argument`);
    process.execArgv.push(list[i + 1]);
    return list[++i];
  };
  for (; i < list.length; i++) {
    const a = list[i];
    if (a === '-' || !a.startsWith('-')) break;
    if (a === '--') { i++; break; }
    const eq = a.startsWith('--') ? a.indexOf('=') : -1;
    const name = eq < 0 ? a : a.slice(0, eq), inline = eq < 0 ? undefined : a.slice(eq + 1);
    process.execArgv.push(a);
    switch (name) {
      case '-e': case '--eval': o.code = value(name, inline); break;
      case '-p': case '--print': case '-pe':
        o.print = true;
        if (inline !== undefined) o.code = inline;
        else if (name === '-pe') o.code = value(name);
        else if (i + 1 < list.length && (list[i + 1] === '-' || !list[i + 1].startsWith('-'))) o.code = value(name);
        break;
      case '-c': case '--check': o.check = true; break;
      case '-h': case '--help': host.writeText(1, HELP); host.exit(0); break;
      case '-v': case '--version': host.writeText(1, `${process.version}\n`); host.exit(0); break;
      case '-i': case '--interactive': bad('there is no interactive mode here; give the script by -e, a file or stdin'); break;
      case '-r': case '--require': o.preload.push(value(name, inline)); break;
      case '--import': o.imports.push(value(name, inline)); break;
      case '--input-type':
        o.type = value(name, inline);
        if (o.type !== 'module' && o.type !== 'commonjs') bad('--input-type must be "module" or "commonjs"');
        break;
      case '--max-old-space-size': case '--max_old_space_size': {
        const n = Number(value(name, inline));
        if (!(n > 0)) bad(`${name} requires a number`);
        o.memory = n * (1 << 20);
        break;
      }
      case '--unhandled-rejections': o.rejections = value(name, inline); break;
      case '--no-warnings': process.noWarnings = true; break;
      case '--throw-deprecation': process.throwDeprecation = true; break;
      case '--env-file': process.loadEnvFile(value(name, inline)); break;
      case '--stack-trace-limit': Error.stackTraceLimit = Number(value(name, inline)); break;
      default:
        if (name === '--expose-gc' || name === '--expose_gc') globalThis.gc = () => host.collect();
        else if (name === '--no-deprecation') process.noDeprecation = true;
        else if (!ACCEPTED.has(name)) bad(`bad option: ${a}`);
    }
  }
  const rest = list.slice(i);
  if (o.code === undefined && rest.length && rest[0] !== '-') o.file = rest.shift();
  else if (rest[0] === '-' && o.code === undefined) rest.shift();
  o.args = rest;
  return o;
}

// ---- What is evaluated -----------------------------------------------------------------------------------

function standIn(name) {
  const m = new cjs.Module(name);
  m.filename = path.join(process.cwd(), name);
  m.paths = cjs.nodeModules(process.cwd());
  return m;
}

// What -e and stdin find without asking for it: the library's modules, by name. Made once, before the freeze.
const modules = Object.create(Object.getPrototypeOf(globalThis));
for (const k of host.builtins) {
  if (k.includes('/') || k in globalThis || k.startsWith('_')) continue;
  Object.defineProperty(modules, k, { configurable: true, enumerable: false, get: () => host.builtin(k),
    set(value) { Object.defineProperty(globalThis, k, { value, writable: true, configurable: true, enumerable: true }); } });
}

function evaluate(text, name, o) {
  process.argv.push(...o.args);
  if (o.type === 'module') return runModule(text, name);
  const m = standIn(name);
  fatal.sources.set(name, text);
  const own = { __filename: name, module: m, exports: m.exports, __dirname: '.', require: cjs.requireOf(m) };
  for (const k of Object.keys(own)) Object.defineProperty(globalThis, k, { value: own[k], writable: true, configurable: true, enumerable: true });
  Object.setPrototypeOf(globalThis, modules);
  let value;
  try {
    value = host.script(text, name);
  } catch (e) {
    if (e instanceof SyntaxError && o.type === undefined && !o.print && cjs.looksLikeModule(text)) {
      let syntax = e;
      for (const k of Object.keys(own)) delete globalThis[k];
      return runModule(text, name, syntax);
    }
    throw e;
  }
  if (o.print) console.log(value);
  return undefined;
}

function runModule(text, name, former) {
  const url = require('url').pathToFileURL(path.join(process.cwd(), `${name}1`)).href;
  let promise;
  try {
    promise = esm.runMain(text, url);
  } catch (e) {
    throw former && e instanceof SyntaxError ? former : e;
  }
  watch(promise);
}

// The end of a module that is never reached is an error of its own.
let unfinished = false;
function watch(promise) {
  unfinished = true;
  promise.then(() => { unfinished = false; }, (e) => {
    unfinished = false;
    fatal.uncaught(e, false, true);
  });
}

function runFile(o) {
  const full = path.resolve(o.file);
  process.argv.push(full, ...o.args);
  const parent = null;
  let filename;
  try {
    filename = cjs.Module._resolveFilename(full, parent, true);
  } catch (e) {
    if (e.code === 'MODULE_NOT_FOUND') e.stack = `Error: Cannot find module '${full}'`, e.message = `Cannot find module '${full}'`;
    throw e;
  }
  process.argv[1] = filename;
  const type = cjs.isModule(filename);
  if (o.check) return check(filename, type);
  if (type === 'module' && !filename.endsWith('.json')) return mainModule(filename);
  if (type === undefined && !filename.endsWith('.json')) {
    const text = fs.readFileSync(filename, 'utf8');
    if (cjs.looksLikeModule(text) && !parses(text, filename)) return mainModule(filename);
  }
  cjs.Module._load(filename, null, true);
  return undefined;
}

function parses(text, filename) {
  try {
    host.wrap(text, filename);
    return true;
  } catch (e) {
    return !(e instanceof SyntaxError);
  }
}

function mainModule(filename) {
  const url = require('url').pathToFileURL(filename).href;
  const text = fs.readFileSync(filename, 'utf8').replace(/^\ufeff/, '');
  watch(esm.runMain(text, url));
}

function check(filename, type) {
  const text = fs.readFileSync(filename, 'utf8');
  if (type !== 'module') host.wrap(text, filename);
}

function begun(o) {
  for (const p of o.preload) standIn('[preload]').require(p);
  if (o.code !== undefined) return evaluate(o.code, '[eval]', o);
  if (o.file !== undefined) return runFile(o);
  if (o.print) {
    bad('-p requires an argument');
  }
  process.argv.push('-');
  return evaluate(fs.readFileSync(0, 'utf8'), '[stdin]', o);
}

function run(args, env) {
  begin(args, env);
  globals.begin();
  const prelude = added.begin();
  const o = parse(args.slice(1));
  host.memoryLimit(o.memory);
  if (o.rejections) fatal.setMode(o.rejections);
  loop.step(() => {
    if (prelude !== undefined && !o.check) {
      fatal.sources.set('[prelude]', prelude);
      host.script(prelude, '[prelude]');
    }
    for (const name of o.imports) host.importModule(`${process.cwd()}/[eval]`, name);
    begun(o);
  });
  loop.run();
  // What is said at the end may begin something new.
  for (let before = 0; before < 100000; before++) {
    let more = false;
    if (process.listenerCount('beforeExit')) loop.step(() => process.emit('beforeExit', process.exitCode ?? 0));
    more = loop.alive();
    if (!more) break;
    loop.run();
  }
  if (unfinished && process.exitCode === undefined) {
    host.writeText(2, 'Warning: Detected unsettled top-level await\n');
    process.exitCode = 13;
  }
  loop.step(() => process.exit());
  return 1;
}

module.exports = { run };
