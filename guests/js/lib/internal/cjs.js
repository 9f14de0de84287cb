// CommonJS: require.
const path = require('path');
const { names: fs } = require('internal/fs_sync');
const { withCode, invalidArgType, invalidArgValue } = require('internal/errors');
const { sources } = require('internal/fatal');

function Module(id = '', parent) {
  this.id = id;
  this.path = path.dirname(id);
  this.exports = {};
  if (parent) parent.children.push(this);
  this.filename = null;
  this.loaded = false;
  this.children = [];
  Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false });
}
Module.Module = Module;
Module._cache = Object.create(null);
Module._pathCache = Object.create(null);
Module._extensions = Object.create(null);
Module.globalPaths = [];
Module.builtinModules = host.builtins;
Module.isBuiltin = (name) => host.isBuiltin(name.startsWith('node:') ? name.slice(5) : name);
Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];
Module.wrap = (text) => Module.wrapper[0] + text + Module.wrapper[1];
Module._debug = () => {};
Module.syncBuiltinESMExports = () => {};
Module.findSourceMap = () => undefined;

// ---- Finding ------------------------------------------------------------------------------------------

function kind(p) {
  const st = host.stat(p, 0);
  return typeof st === 'number' ? 0 : (st[2] & 61440) === 16384 ? 2 : 1;
}

const packages = new Map();
// The package.json of a directory: what it says, or null.
function packageAt(dir) {
  if (packages.has(dir)) return packages.get(dir);
  const file = `${dir === '/' ? '' : dir}/package.json`;
  let data = null;
  if (kind(file) === 1) {
    try {
      data = JSON.parse(fs.readFileSync(file, 'utf8'));
    } catch (e) {
      e.path = file;
      e.message = `Error parsing ${file}: ${e.message}`;
      throw e;
    }
  }
  packages.set(dir, data);
  return data;
}
// The nearest one: [directory, data].
function packageOf(file) {
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    if (path.basename(dir) !== 'node_modules') {
      const data = packageAt(dir);
      if (data) return [dir, data];
    }
    if (dir === '/') return null;
  }
}

function asFile(p) {
  if (kind(p) === 1) return p;
  for (const ext of Object.keys(Module._extensions)) if (kind(p + ext) === 1) return p + ext;
  return null;
}

function asDirectory(p) {
  const data = packageAt(p);
  if (data && typeof data.main === 'string' && data.main !== '') {
    const main = path.resolve(p, data.main);
    const found = asFile(main) ?? asFile(path.join(main, 'index'));
    if (found) return found;
  }
  return asFile(path.join(p, 'index'));
}

function asPath(p) {
  if (!p.endsWith('/')) {
    const found = asFile(p);
    if (found) return found;
  }
  return kind(p) === 2 ? asDirectory(p.replace(/(?!^)\/+$/, '')) : null;
}

// The target of exports or imports: a string, conditions, alternatives.
function target(t, conditions, star) {
  if (typeof t === 'string') return star === undefined ? t : t.replaceAll('*', star);
  if (Array.isArray(t)) {
    for (const x of t) {
      const r = target(x, conditions, star);
      if (r) return r;
    }
    return null;
  }
  if (t !== null && typeof t === 'object') {
    for (const k of Object.keys(t)) {
      if (k !== 'default' && !conditions.includes(k)) continue;
      const r = target(t[k], conditions, star);
      if (r !== undefined) return r;
    }
    return undefined;
  }
  return t === null ? null : undefined;
}

// What `key` ('.', './x', '#x') is mapped to.
function mapped(map, key, conditions) {
  if (Object.prototype.hasOwnProperty.call(map, key) && !key.includes('*')) return target(map[key], conditions);
  let best = null;
  for (const k of Object.keys(map)) {
    const at = k.indexOf('*');
    if (at < 0) continue;
    const head = k.slice(0, at), tail = k.slice(at + 1);
    if (key.startsWith(head) && key.length >= k.length && key.endsWith(tail) && (!best || head.length > best[0].length)) best = [head, tail, k];
  }
  return best ? target(map[best[2]], conditions, key.slice(best[0].length, key.length - best[1].length)) : undefined;
}

function exported(dir, data, sub, conditions, name) {
  let map = data.exports;
  if (typeof map === 'string' || Array.isArray(map) || (map && Object.keys(map).every((k) => !k.startsWith('.')))) map = { '.': map };
  const found = mapped(map, sub, conditions);
  if (!found) {
    if (sub === '.') throw withCode(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `No "exports" main defined in ${dir}/package.json`);
    throw withCode(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `Package subpath '${sub}' is not defined by "exports" in ${dir}/package.json`);
  }
  return path.resolve(dir, found);
}

function splitName(request) {
  const parts = request.split('/');
  const n = request.startsWith('@') ? 2 : 1;
  return [parts.slice(0, n).join('/'), parts.length > n ? `./${parts.slice(n).join('/')}` : '.'];
}

function nodeModules(from) {
  const dirs = [];
  for (let dir = path.resolve(from); ; dir = path.dirname(dir)) {
    if (path.basename(dir) !== 'node_modules') dirs.push(dir === '/' ? '/node_modules' : `${dir}/node_modules`);
    if (dir === '/') return dirs;
  }
}

function inPackages(request, dirs, conditions, loose) {
  const [name, sub] = splitName(request);
  for (const modules of dirs) {
    const dir = `${modules}/${name}`;
    if (kind(dir) !== 2) {
      if (loose && sub === '.') {
        const found = asFile(dir);
        if (found) return found;
      }
      continue;
    }
    const data = packageAt(dir);
    if (data && data.exports !== undefined && data.exports !== null) return exported(dir, data, sub, conditions, name);
    const found = asPath(sub === '.' ? dir : path.join(dir, sub));
    if (found) return found;
  }
  return null;
}

const REQUIRE = ['node', 'require', 'module-sync'];

// Names inside the package itself: '#name', and its own name through its exports.
function ofPackage(request, file, conditions) {
  const here = packageOf(file);
  if (!here) return null;
  const [dir, data] = here;
  if (request.startsWith('#')) {
    const found = data.imports ? mapped(data.imports, request, conditions) : undefined;
    if (!found) throw withCode(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${request}" is not defined in package ${dir}/package.json imported from ${file}`);
    return found.startsWith('./') ? path.resolve(dir, found) : found;
  }
  const [name, sub] = splitName(request);
  return data.exports && data.name === name ? exported(dir, data, sub, conditions, name) : null;
}

Module._nodeModulePaths = nodeModules;
Module._resolveLookupPaths = (request, parent) => (/^\.{1,2}(\/|$)/.test(request) ? [parent?.filename ? path.dirname(parent.filename) : '.'] : parent?.paths ?? []);
Module._findPath = (request, dirs) => {
  for (const d of dirs) {
    const found = asPath(path.resolve(d, request));
    if (found) return found;
  }
  return false;
};

Module._resolveFilename = function (request, parent, isMain, options) {
  if (Module.isBuiltin(request)) return request;
  const from = parent?.filename ? path.dirname(parent.filename) : parent?.path && parent.path !== '.' ? parent.path : process.cwd();
  const dirs = options?.paths ? options.paths.flatMap((p) => nodeModules(p)) : nodeModules(from);
  let found = null;
  if (/^(\.{1,2}(\/|$)|\/)/.test(request)) {
    found = asPath(path.resolve(options?.paths?.[0] ?? from, request) + (/\/$|(^|\/)\.{1,2}$/.test(request) ? '/' : ''));
  } else {
    const own = ofPackage(request, parent?.filename ?? `${from}/x`, REQUIRE);
    if (own !== null && !own.startsWith('/')) return Module._resolveFilename(own, parent);
    found = own ?? inPackages(request, dirs, REQUIRE, true);
    if (found && kind(found) !== 1) found = null;
  }
  if (found) return fs.realpathSync(found);
  const stack = [];
  for (let m = parent; m; m = m.parent) if (m.filename || m.id) stack.push(m.filename || m.id);
  let message = `Cannot find module '${request}'`;
  if (stack.length) message += `\nRequire stack:\n- ${stack.join('\n- ')}`;
  const e = new Error(message);
  e.code = 'MODULE_NOT_FOUND';
  e.requireStack = stack;
  host.captureStackTrace(e, Module._resolveFilename);
  throw e;
};

// ---- Loading --------------------------------------------------------------------------------------------

Module._load = function (request, parent, isMain) {
  const bare = request.startsWith('node:') ? request.slice(5) : request;
  if (host.isBuiltin(bare)) return host.builtin(bare);
  if (request.startsWith('node:')) throw withCode(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${request}`);
  const filename = Module._resolveFilename(request, parent, isMain);
  const there = Module._cache[filename];
  if (there) {
    if (parent && !parent.children.includes(there)) parent.children.push(there);
    return there.exports;
  }
  const m = new Module(filename, parent);
  if (isMain) {
    process.mainModule = m;
    m.id = '.';
    Module.main = m;
  }
  Module._cache[filename] = m;
  let failed = true;
  try {
    m.load(filename);
    failed = false;
  } finally {
    if (failed) {
      delete Module._cache[filename];
      const i = parent?.children.indexOf(m) ?? -1;
      if (i >= 0) parent.children.splice(i, 1);
    }
  }
  return m.exports;
};

Module.prototype.load = function (filename) {
  this.filename = filename;
  this.path = path.dirname(filename);
  this.paths = nodeModules(this.path);
  const ext = path.extname(filename);
  (Module._extensions[ext] ?? Module._extensions['.js'])(this, filename);
  this.loaded = true;
};

Module.prototype.require = function (id) {
  if (typeof id !== 'string') throw invalidArgType('id', 'string', id);
  if (id === '') throw invalidArgValue('id', id, 'must be a non-empty string');
  return Module._load(id, this, false);
};

function requireOf(m) {
  const f = function require(id) { return m.require(id); };
  f.resolve = (request, options) => Module._resolveFilename(request, m, false, options);
  f.resolve.paths = (request) => (Module.isBuiltin(request) ? null : nodeModules(m.path));
  f.main = process.mainModule;
  f.extensions = Module._extensions;
  f.cache = Module._cache;
  return f;
}

Module.prototype._compile = function (text, filename, format) {
  sources.set(filename, text);
  let f;
  try {
    f = host.wrap(text, filename);
  } catch (e) {
    // What is no CommonJS may be a module: as Node does, it is tried when nothing says what it is.
    if (!(e instanceof SyntaxError) || format === 'commonjs' || !looksLikeModule(text)) throw e;
    this.exports = require('internal/esm').requireModule(filename, text);
    return undefined;
  }
  return f.call(this.exports, this.exports, requireOf(this), this, filename, path.dirname(filename));
};

const looksLikeModule = (text) => /(^|[\n;}])\s*(import\b\s*([\w*{"'$]|\/[*/])|export\b\s*[\w*{])|\bimport\.meta\b|\bawait\b/.test(text);

function isModule(filename) {
  if (filename.endsWith('.mjs')) return 'module';
  if (filename.endsWith('.cjs')) return 'commonjs';
  return packageOf(filename)?.[1].type;
}

Module._extensions['.js'] = (m, filename) => {
  const text = fs.readFileSync(filename, 'utf8').replace(/^\ufeff/, '');
  const type = filename.endsWith('.js') || filename.endsWith('.mjs') || filename.endsWith('.cjs') ? isModule(filename) : undefined;
  if (type === 'module') m.exports = require('internal/esm').requireModule(filename, text);
  else m._compile(text, filename, type);
};
Module._extensions['.json'] = (m, filename) => {
  const text = fs.readFileSync(filename, 'utf8').replace(/^\ufeff/, '');
  try {
    m.exports = JSON.parse(text);
  } catch (e) {
    e.message = `${filename}: ${e.message}`;
    throw e;
  }
};
Module._extensions['.node'] = () => { throw require('internal/errors').notHere('A native addon', 'only JavaScript can be loaded'); };

Module.createRequire = (from) => {
  const file = from instanceof URL || String(from).startsWith('file:') ? require('url').fileURLToPath(from) : String(from);
  if (!file.startsWith('/')) throw invalidArgValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
  const m = new Module(file);
  m.filename = file;
  m.paths = nodeModules(m.path);
  return requireOf(m);
};
Module.register = () => { throw require('internal/errors').notHere('module.register'); };
Module._initPaths = () => {};
Module._preloadModules = () => {};
Module.runMain = () => {};

module.exports = { Module, requireOf, packageOf, isModule, looksLikeModule, asPath, inPackages, ofPackage, nodeModules, kind };
