// Glob patterns: *, ?, [..], {a,b}, **.
const path = require('path');

function alternatives(p) {
  const m = /\{([^{}]*)\}/.exec(p);
  return m && m[1].includes(',') ? m[1].split(',').flatMap((a) => alternatives(p.slice(0, m.index) + a + p.slice(m.index + m[0].length))) : [p];
}
function regex(segment) {
  let out = segment.startsWith('.') ? '' : '(?!\\.)';
  for (let i = 0; i < segment.length; i++) {
    const c = segment[i];
    if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '[' && segment.indexOf(']', i + 2) > 0) {
      const end = segment.indexOf(']', i + 2);
      out += `[${segment.slice(i + 1, end).replace(/^!/, '^').replaceAll('\\', '\\\\')}]`;
      i = end;
    } else out += c.replace(/[.+^$()|{}\\\]\[]/, '\\$&');
  }
  return new RegExp(`^${out}$`, 's');
}
function below(parts, names) {
  if (parts.length === 0) return names.length === 0;
  if (parts[0] === '**') return below(parts.slice(1), names) || (names.length > 0 && !names[0].startsWith('.') && below(parts, names.slice(1)));
  return names.length > 0 && regex(parts[0]).test(names[0]) && below(parts.slice(1), names.slice(1));
}
exports.matches = (p, pattern) => alternatives(pattern).some((a) => below(a.split('/'), p.split('/')));
exports.find = function find(pattern, options = {}) {
  const { names: fs } = require('internal/fs_sync');
  const cwd = options.cwd ?? process.cwd(), out = new Set();
  const walk = (dir, shown, parts) => {
    if (parts.length === 0) {
      if (shown && fs.existsSync(path.resolve(cwd, shown))) out.add(shown);
      return;
    }
    const [head, ...rest] = parts;
    if (head === '**') walk(dir, shown, rest);
    else if (!/[*?[]/.test(head)) {
      walk(path.join(dir, head), shown ? path.join(shown, head) : head, rest);
      return;
    }
    let list;
    try {
      list = fs.readdirSync(dir, { withFileTypes: true });
    } catch {
      return;
    }
    for (const e of list) {
      const next = shown ? path.join(shown, e.name) : e.name;
      if (options.exclude?.(options.withFileTypes ? e : next)) continue;
      if (head === '**') {
        if (!e.name.startsWith('.') && e.isDirectory()) walk(path.join(dir, e.name), next, parts);
        if (rest.length === 0 && !e.name.startsWith('.')) out.add(next);
      } else if (regex(head).test(e.name)) walk(path.join(dir, e.name), next, rest);
    }
  };
  for (const one of [pattern].flat()) for (const a of alternatives(one)) walk(a.startsWith('/') ? '/' : path.resolve(cwd), a.startsWith('/') ? '/' : '', a.split('/').filter((s) => s !== ''));
  return [...out];
};
