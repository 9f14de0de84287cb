// readline/promises.
const readline = require('readline');
const { AbortError } = require('internal/errors');
class Interface extends readline.Interface {
  question(query, options = {}) {
    return new Promise((resolve, reject) => {
      options.signal?.addEventListener('abort', () => reject(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
      super.question(query, options, resolve);
    });
  }
}
class Readline {
  #out;
  #text = '';
  constructor(stream) { this.#out = stream; }
  clearLine(dir) { this.#text += dir < 0 ? '\x1b[1K' : dir > 0 ? '\x1b[0K' : '\x1b[2K'; return this; }
  cursorTo(x, y) { this.#text += y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`; return this; }
  async commit() { this.#out.write(this.#text); this.#text = ''; }
  rollback() { this.#text = ''; return this; }
}
module.exports = { Interface, Readline, createInterface: (...args) => new Interface(...args) };
