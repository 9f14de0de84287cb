// util.parseArgs.
const { withCode, invalidArgType, invalidArgValue } = require('internal/errors');

module.exports = function parseArgs(config = {}) {
  const args = config.args ?? process.argv.slice(process.execArgv.some((a) => /^(-e|-p|--eval|--print)/.test(a)) ? 1 : 2);
  const options = config.options ?? {}, strict = config.strict ?? true, positionalsAllowed = config.allowPositionals ?? !strict;
  for (const k of Object.keys(options)) {
    if (options[k].type !== 'string' && options[k].type !== 'boolean') throw invalidArgType(`options.${k}.type`, "('string|boolean')", options[k].type);
    if (options[k].short !== undefined && options[k].short.length !== 1) throw invalidArgValue(`options.${k}.short`, options[k].short, 'must be a single character');
  }
  const values = Object.create(null), positionals = [], tokens = [];
  const byShort = (s) => Object.keys(options).find((k) => options[k].short === s) ?? s;
  const store = (name, raw, value, inline, index) => {
    const o = options[name];
    tokens.push({ kind: 'option', name, rawName: raw, index, value, inlineValue: inline });
    if (strict) {
      const known = o ? `'${o.short ? `-${o.short}, ` : ''}--${name}${o.type === 'string' ? ' <value>' : ''}'` : '';
      if (!o && !(config.allowNegative && name.startsWith('no-'))) {
        throw withCode(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${raw}'${positionalsAllowed ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(raw)}` : ''}`);
      }
      if (o.type === 'string' && typeof value !== 'string') throw withCode(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option ${known} argument missing`);
      if (o.type === 'boolean' && value !== undefined) throw withCode(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option ${known} does not take an argument`);
      if (o.type === 'string' && !inline && value.length > 1 && value.startsWith('-')) {
        throw withCode(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${raw}' argument is ambiguous.\nDid you forget to specify the option argument for '${raw}'?\nTo specify an option argument starting with a dash use '${raw.startsWith('--') ? raw : `--${name}`}=-XYZ'${raw.startsWith('--') ? '' : ` or '${raw}-XYZ'`}.`);
      }
    }
    if (name === '__proto__') return;
    const v = value === undefined ? true : value;
    if (o?.multiple) (values[name] ??= []).push(v);
    else values[name] = v;
  };
  for (let i = 0; i < args.length; i++) {
    const a = args[i];
    if (a === '--') {
      tokens.push({ kind: 'option-terminator', index: i });
      for (let j = i + 1; j < args.length; j++) tokens.push({ kind: 'positional', index: j, value: args[j] }), positionals.push(args[j]);
      if (positionals.length && !positionalsAllowed) throw withCode(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${args[i + 1]}'. This command does not take positional arguments`);
      break;
    }
    if (a.startsWith('--') && a.includes('=')) {
      const at = a.indexOf('=');
      store(a.slice(2, at), a.slice(0, at), a.slice(at + 1), true, i);
    } else if (a.startsWith('--')) {
      const name = a.slice(2);
      if (options[name]?.type === 'string' && i + 1 < args.length) store(name, a, args[++i], false, i - 1);
      else store(name, a, undefined, undefined, i);
    } else if (a.length > 1 && a.startsWith('-')) {
      for (let k = 1; k < a.length; k++) {
        const name = byShort(a[k]), raw = `-${a[k]}`;
        if (options[name]?.type === 'string') {
          if (k + 1 < a.length) store(name, raw, a.slice(k + 1), true, i);
          else if (i + 1 < args.length) store(name, raw, args[++i], false, i - 1);
          else store(name, raw, undefined, undefined, i);
          break;
        }
        store(name, raw, undefined, undefined, i);
      }
    } else {
      if (!positionalsAllowed) throw withCode(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${a}'. This command does not take positional arguments`);
      tokens.push({ kind: 'positional', index: i, value: a });
      positionals.push(a);
    }
  }
  for (const k of Object.keys(options)) if (options[k].default !== undefined && values[k] === undefined) values[k] = options[k].default;
  return config.tokens ? { values, positionals, tokens } : { values, positionals };
};
