// The messages of JSON.parse: where and why a text is none, in V8's words.
module.exports = function explain(text) {
  let i = 0;
  const at = (what) => `${what} in JSON at position ${i}`;
  class Found { constructor(message) { this.message = message; } }
  const fail = (message) => { throw new Found(message); };
  const unexpected = () => {
    if (text === 'undefined') fail('"undefined" is not valid JSON');
    if (i >= text.length) fail('Unexpected end of JSON input');
    const c = String.fromCodePoint(text.codePointAt(i));
    if (/[0-9-]/.test(c)) fail(at('Unexpected number'));
    if (c === '"') fail(at('Unexpected string'));
    const n = text.length, from = Math.max(0, i - 10), to = Math.min(n, i + 10);
    let shown = `"${text}"`;
    if (n > 40) shown = from > 0 && to < n ? `..."${text.slice(from, to)}"...` : from > 0 ? `..."${text.slice(from)}"` : `"${text.slice(0, to)}"...`;
    fail(`Unexpected token '${c}', ${shown} is not valid JSON`);
  };
  const space = () => { while (i < text.length && ' \t\n\r'.includes(text[i])) i++; };
  const word = (w) => { for (const c of w) { if (text[i] !== c) unexpected(); i++; } };
  function string() {
    for (i++; ;) {
      if (i >= text.length) fail(at('Unterminated string'));
      const c = text[i];
      if (c === '"') { i++; return; }
      if (c < ' ') fail(at('Bad control character in string literal'));
      if (c === '\\') {
        i++;
        if (i >= text.length) fail(at('Unterminated string'));
        if (text[i] === 'u') {
          for (let k = 0; k < 4; k++) { i++; if (!/[0-9a-fA-F]/.test(text[i] ?? '')) fail(i >= text.length ? at('Unterminated string') : at('Bad Unicode escape')); }
        } else if (!'"\\/bfnrt'.includes(text[i])) fail(at('Bad escaped character'));
      }
      i++;
    }
  }
  function number() {
    const digits = () => { const from = i; while (/[0-9]/.test(text[i] ?? '')) i++; return i > from; };
    if (text[i] === '-') { i++; if (!/[0-9]/.test(text[i] ?? '')) fail(at('No number after minus sign')); }
    if (text[i] === '0') { i++; if (/[0-9]/.test(text[i] ?? '')) fail(at('Unexpected number')); } else digits();
    if (text[i] === '.') { i++; if (!digits()) fail(at('Unterminated fractional number')); }
    if (/[eE]/.test(text[i] ?? '')) { i++; if (/[+-]/.test(text[i] ?? '')) i++; if (!digits()) fail(at('Exponent part is missing a number')); }
  }
  function value() {
    space();
    const c = text[i];
    if (c === '{') {
      i++;
      space();
      if (text[i] === '}') { i++; return; }
      for (let first = true; ; first = false) {
        space();
        if (text[i] !== '"') { if (i >= text.length && !first) fail('Unexpected end of JSON input'); if (i >= text.length) fail(at("Expected property name or '}'")); fail(at(first ? "Expected property name or '}'" : 'Expected double-quoted property name')); }
        string();
        space();
        if (text[i] !== ':') fail(i >= text.length ? at("Expected ':' after property name") : at("Expected ':' after property name"));
        i++;
        value();
        space();
        if (text[i] === ',') { i++; continue; }
        if (text[i] === '}') { i++; return; }
        fail(at("Expected ',' or '}' after property value"));
      }
    }
    if (c === '[') {
      i++;
      space();
      if (text[i] === ']') { i++; return; }
      for (;;) {
        value();
        space();
        if (text[i] === ',') { i++; continue; }
        if (text[i] === ']') { i++; return; }
        fail(at("Expected ',' or ']' after array element"));
      }
    }
    if (c === '"') string();
    else if (/[0-9-]/.test(c ?? '')) number();
    else if (c === 't') word('true');
    else if (c === 'f') word('false');
    else if (c === 'n') word('null');
    else unexpected();
  }
  try {
    value();
    space();
    if (i < text.length) fail(at('Unexpected non-whitespace character after JSON').replace(' in JSON', ''));
  } catch (e) {
    if (e instanceof Found) return e.message;
    throw e;
  }
  return null;
};
