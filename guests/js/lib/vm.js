// vm: scripts in this context. Other contexts are not there.
const { notHere } = require('internal/errors');
const nameOf = (o) => (typeof o === 'string' ? o : o?.filename ?? 'evalmachine.<anonymous>');
class Script {
  #text;
  #name;
  constructor(text, options) {
    this.#text = `${text}`;
    this.#name = nameOf(options);
    host.wrap(this.#text, this.#name); // does it parse?
  }
  runInThisContext() { return host.script(this.#text, this.#name); }
  runInNewContext() { return other('runInNewContext'); }
  runInContext() { return other('runInContext'); }
}
const other = (name) => { throw notHere(`vm.${name}`, 'there is one context'); };
module.exports = { Script, runInThisContext: (text, options) => host.script(`${text}`, nameOf(options)), createContext: () => other('createContext'), isContext: () => false,
  runInNewContext: () => other('runInNewContext'), runInContext: () => other('runInContext'), compileFunction: (text, params = [], options) => host.script(`(function (${params.join(', ')}) {${text}\n})`, nameOf(options)) };
