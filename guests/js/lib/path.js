// Paths as POSIX has them; path.win32 is there for those who split other systems' names.
const { needString, invalidArgType } = require('internal/errors');

// The parts of a path without '.', with '..' taken back where there is something to take back.
function reduce(parts, absolute) {
  const out = [];
  for (const p of parts) {
    if (p === '' || p === '.') continue;
    if (p !== '..') out.push(p);
    else if (out.length && out[out.length - 1] !== '..') out.pop();
    else if (!absolute) out.push('..');
  }
  return out;
}

const posix = {
  sep: '/',
  delimiter: ':',
  isAbsolute(p) { needString(p, 'path'); return p.startsWith('/'); },
  normalize(p) {
    needString(p, 'path');
    if (p === '') return '.';
    const absolute = p.startsWith('/');
    let out = reduce(p.split('/'), absolute).join('/');
    if (out === '' && !absolute) out = '.';
    if (out !== '' && p.endsWith('/')) out += '/';
    return absolute ? `/${out}` : out;
  },
  join(...parts) {
    parts.forEach((p) => needString(p, 'path'));
    const joined = parts.filter((p) => p !== '').join('/');
    return joined === '' ? '.' : posix.normalize(joined);
  },
  resolve(...parts) {
    let whole = '';
    for (let i = parts.length - 1; i >= 0 && !whole.startsWith('/'); i--) {
      needString(parts[i], `paths[${i}]`);
      if (parts[i] !== '') whole = whole === '' ? parts[i] : `${parts[i]}/${whole}`;
    }
    if (!whole.startsWith('/')) whole = `${process.cwd()}/${whole}`;
    return `/${reduce(whole.split('/'), true).join('/')}`;
  },
  relative(from, to) {
    needString(from, 'from');
    needString(to, 'to');
    const a = posix.resolve(from).split('/').filter(Boolean), b = posix.resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length && a[same] === b[same]) same++;
    return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
  },
  toNamespacedPath(p) { return p; },
  dirname(p) {
    needString(p, 'path');
    if (p === '') return '.';
    const bare = p.replace(/(?!^)\/+$/, '');
    const at = bare.lastIndexOf('/');
    if (at < 0) return '.';
    if (at === 0) return '/';
    return bare.slice(0, at) || '/';
  },
  basename(p, ext) {
    if (ext !== undefined) needString(ext, 'suffix');
    needString(p, 'path');
    const bare = p.replace(/\/+$/, '');
    const base = bare.slice(bare.lastIndexOf('/') + 1);
    return ext !== undefined && (base !== ext || p === ext) && base.endsWith(ext) ? base.slice(0, base.length - ext.length) : base;
  },
  extname(p) {
    needString(p, 'path');
    const base = posix.basename(p), at = base.lastIndexOf('.');
    return at <= 0 || base === '..' ? '' : base.slice(at);
  },
  parse(p) {
    needString(p, 'path');
    const root = p.startsWith('/') ? '/' : '', base = posix.basename(p), ext = posix.extname(base);
    const bare = p.replace(/\/+$/, ''), at = bare.lastIndexOf('/');
    return { root, dir: at < 0 ? '' : at === 0 ? '/' : bare.slice(0, at), base, ext, name: ext ? base.slice(0, -ext.length) : base };
  },
  format(o) {
    if (o === null || typeof o !== 'object') throw invalidArgType('pathObject', 'Object', o);
    const dir = o.dir || o.root, base = o.base || `${o.name || ''}${o.ext ? `${o.ext[0] === '.' ? '' : '.'}${o.ext}` : ''}`;
    return !dir ? base : dir === o.root ? `${dir}${base}` : `${dir}/${base}`;
  },
  matchesGlob(p, pattern) { return require('internal/glob').matches(p, pattern); },
};

// The same with both separators and drives.
const slashed = (p) => p.replaceAll('\\', '/');
const back = (p) => p.replaceAll('/', '\\');
const drive = (p) => /^[a-zA-Z]:/.exec(p)?.[0] ?? '';
const win32 = {
  sep: '\\',
  delimiter: ';',
  isAbsolute: (p) => /^([a-zA-Z]:)?[\\/]/.test(p),
  normalize(p) { const d = drive(p); return d + back(posix.normalize(slashed(p.slice(d.length)))); },
  join: (...parts) => win32.normalize(parts.filter((p) => p !== '').join('\\') || '.'),
  resolve(...parts) {
    let whole = '';
    for (let i = parts.length - 1; i >= 0 && !win32.isAbsolute(whole); i--) if (parts[i] !== '') whole = whole === '' ? parts[i] : `${parts[i]}\\${whole}`;
    if (!win32.isAbsolute(whole)) whole = `${back(process.cwd())}\\${whole}`;
    const d = drive(whole);
    return d + back(`/${reduce(slashed(whole.slice(d.length)).split('/'), true).join('/')}`);
  },
  relative: (a, b) => back(posix.relative(slashed(win32.resolve(a)).replace(/^[a-zA-Z]:/, ''), slashed(win32.resolve(b)).replace(/^[a-zA-Z]:/, ''))),
  toNamespacedPath: (p) => p,
  dirname(p) { const d = drive(p); return d + back(posix.dirname(slashed(p.slice(d.length)))); },
  basename: (p, ext) => posix.basename(slashed(p).slice(drive(p).length), ext),
  extname: (p) => posix.extname(slashed(p)),
  parse(p) {
    const d = drive(p), o = posix.parse(slashed(p.slice(d.length)));
    return { root: d + back(o.root), dir: d + back(o.dir), base: o.base, ext: o.ext, name: o.name };
  },
  format(o) { return back(posix.format({ ...o, dir: o.dir && slashed(o.dir) })); },
};

posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;
module.exports = posix;
