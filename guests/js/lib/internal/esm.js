// ES modules: names to URLs, URLs to source text or to the values of what is no module.
const path = require('path');
const { names: fs } = require('internal/fs_sync');
const { withCode } = require('internal/errors');
const { sources } = require('internal/fatal');
const cjs = require('internal/cjs');

const IMPORT = ['node', 'import', 'module-sync'];
const given = new Map(); // text of modules that are no files (-e, standard input)

const { fileURLToPath, pathToFileURL } = require('url');

// The file a base stands for: traces of CommonJS give paths, of modules URLs.
function fileOf(base) {
  if (base.startsWith('file:')) return fileURLToPath(base.replace(/[?#].*$/, ''));
  if (base.startsWith('/')) return base;
  return `${process.cwd()}/[eval]`;
}

function notFound(what, base, code = 'ERR_MODULE_NOT_FOUND') {
  return withCode(Error, code, `${what} imported from ${fileOf(base)}`);
}

const normalize = (base, name) => resolve(base, name, true);

// must: it has to be there.
function resolve(base, name, must) {
  if (given.has(name)) return name;
  const bare = name.startsWith('node:') ? name.slice(5) : name;
  if (host.isBuiltin(bare)) return `node:${bare}`;
  if (name.startsWith('node:')) throw withCode(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name}`);
  if (name.startsWith('data:')) return name;
  if (name.startsWith('http:') || name.startsWith('https:')) {
    throw withCode(Error, 'ERR_NETWORK_IMPORT_DISALLOWED', `import of '${name}' by ${base} is not supported: only file and data URLs are supported by the default ESM loader`);
  }
  const from = fileOf(base);
  let url, file;
  if (/^(\.{1,2}\/|\/|file:)/.test(name)) {
    url = new URL(name, pathToFileURL(from));
    file = fileURLToPath(url);
  } else {
    const own = cjs.ofPackage(name, from, IMPORT);
    if (own !== null && !own.startsWith('/')) return resolve(base, own, must);
    file = own ?? cjs.inPackages(name, cjs.nodeModules(path.dirname(from)), IMPORT, false);
    if (!file) throw notFound(`Cannot find package '${name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')}'`, base);
    url = pathToFileURL(file);
  }
  const k = cjs.kind(file);
  if (k !== 1 && !must) return url.href;
  if (k === 2) throw withCode(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${file}' is not supported resolving ES modules imported from ${from}`);
  if (k === 0) throw notFound(`Cannot find module '${file}'`, base);
  return pathToFileURL(fs.realpathSync(file)).href + (url.search || '') + (url.hash || '');
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

function valuesOf(exports, withModule) {
  const names = ['default'], values = [exports];
  if (exports !== null && (typeof exports === 'object' || typeof exports === 'function')) {
    for (const k of Object.keys(exports)) {
      if (k === 'default' || typeof k !== 'string') continue;
      let v;
      try {
        v = exports[k];
      } catch {
        continue;
      }
      names.push(k);
      values.push(v);
    }
  }
  if (withModule) {
    names.push('module.exports');
    values.push(exports);
  }
  return { names, values };
}

function load(name) {
  if (given.has(name)) return { text: given.get(name) };
  if (name.startsWith('node:')) {
    const m = host.builtin(name.slice(5));
    const names = ['default'], values = [m];
    for (const k of Object.keys(m)) {
      if (k === 'default') continue;
      names.push(k);
      values.push(m[k]);
    }
    return { names, values };
  }
  if (name.startsWith('data:')) return dataURL(name);
  const file = fileURLToPath(name.replace(/[?#].*$/, ''));
  if (file.endsWith('.json')) return { names: ['default'], values: [JSON.parse(fs.readFileSync(file, 'utf8'))] };
  if (file.endsWith('.node') || file.endsWith('.wasm')) throw withCode(TypeError, 'ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${path.extname(file)}" for ${file}`);
  const text = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const type = cjs.isModule(file);
  if (type === 'module' || (type === undefined && isModuleText(file, text))) {
    sources.set(name, text);
    return { text };
  }
  return valuesOf(cjs.Module._load(file, null, false), true);
}

function isModuleText(file, text) {
  if (cjs.Module._cache[file] || !cjs.looksLikeModule(text)) return false;
  try {
    host.wrap(text, file);
    return false;
  } catch (e) {
    return e instanceof SyntaxError;
  }
}

function dataURL(name) {
  const m = /^data:([^,;]*)(;[^,]*)?,([^]*)$/.exec(name);
  if (!m) throw withCode(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  const text = m[2]?.includes('base64') ? require('buffer').Buffer.from(decodeURIComponent(m[3]), 'base64').toString() : decodeURIComponent(m[3]);
  if (m[1] === 'text/javascript') return { text };
  if (m[1] === 'application/json') return { names: ['default'], values: [JSON.parse(text)] };
  throw withCode(TypeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${m[1]}`);
}

function meta(object, name) {
  if (name.startsWith('file:')) {
    object.dirname = path.dirname(fileURLToPath(name.replace(/[?#].*$/, '')));
    object.filename = fileURLToPath(name.replace(/[?#].*$/, ''));
  }
  object.resolve = (request) => resolve(name, request, false);
  object.url = name;
  Object.setPrototypeOf(object, null);
}

host.setLoader({ normalize, load, meta });

// A module as what require gives; it must have run to its end.
const required = new Map();
function requireModule(filename, text) {
  const url = pathToFileURL(filename).href;
  if (required.has(url)) return required.get(url);
  sources.set(url, text);
  const [promise, namespace] = host.runModule(text, url);
  host.jobs();
  const [state, result] = host.promiseDetails(promise);
  if (state === 2) {
    promise.catch(() => {});
    throw result;
  }
  if (state === 0) throw withCode(Error, 'ERR_REQUIRE_ASYNC_MODULE', 'require() cannot be used on an ESM graph with top-level await. Use import() instead.');
  const value = 'module.exports' in namespace ? namespace['module.exports'] : namespace;
  required.set(url, value);
  return value;
}

module.exports = { requireModule, normalize, given,
  runMain(text, url) {
    sources.set(url, text);
    return host.runModule(text, url)[0];
  } };
