// Numbers and dates in words of American English, which is what a program gets that names no locale. There is no Intl: any
// other locale, and what is not here, is refused.
const { notHere } = require('internal/errors');

const refuse = (what) => { throw notHere(what, 'there is no Intl'); };

function american(locales) {
  const first = Array.isArray(locales) ? locales[0] : locales;
  if (first === undefined || first === 'en-US' || first === 'en') return;
  if (typeof first !== 'string') throw new TypeError('Incorrect locale information provided');
  refuse(`the locale ${first}`);
}

function known(options, names) {
  for (const k of Object.keys(options)) if (options[k] !== undefined && !names.has(k)) refuse(`the option ${k} of toLocaleString`);
}

// ---- Numbers ---------------------------------------------------------------------------------------------

const NUMBER = new Set(['style', 'currency', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumIntegerDigits', 'useGrouping', 'localeMatcher']);
const MONEY = { USD: ['$', 2], EUR: ['€', 2], GBP: ['£', 2], JPY: ['¥', 0], INR: ['₹', 2], CNY: ['CN¥', 2], KRW: ['₩', 0], CAD: ['CA$', 2], AUD: ['A$', 2], BRL: ['R$', 2], MXN: ['MX$', 2], CHF: ['CHF\xa0', 2] };

function digits(value, name, low, high, otherwise) {
  if (value === undefined) return otherwise;
  const n = Math.floor(Number(value));
  if (!(n >= low && n <= high)) throw new RangeError(`${name} value is out of range.`);
  return n;
}

function number(value, locales, options = {}) {
  american(locales);
  known(options, NUMBER);
  const style = options.style ?? 'decimal';
  const money = style === 'currency' ? MONEY[String(options.currency ?? '').toUpperCase()] : undefined;
  if (style === 'currency' && options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
  if (style === 'currency' && !money) refuse(`the currency ${options.currency}`);
  if (!['decimal', 'percent', 'currency'].includes(style)) refuse(`the style ${style}`);
  const usual = money ? [money[1], money[1]] : style === 'percent' ? [0, 0] : [0, 3];
  let min = digits(options.minimumFractionDigits, 'minimumFractionDigits', 0, 100), max = digits(options.maximumFractionDigits, 'maximumFractionDigits', 0, 100);
  if (min === undefined) min = Math.min(usual[0], max ?? usual[0]);
  if (max === undefined) max = Math.max(usual[1], min);
  if (min > max) throw new RangeError('maximumFractionDigits value is out of range.');
  const whole = digits(options.minimumIntegerDigits, 'minimumIntegerDigits', 1, 21, 1);
  const negative = value < 0 || Object.is(value, -0);
  if (typeof value === 'bigint') value = value < 0n ? -value : value;
  else value = Math.abs(value);
  let text;
  if (Number.isNaN(value)) text = 'NaN';
  else if (value === Infinity) text = '∞';
  else text = plain(style === 'percent' ? hundredfold(value) : value, min, max, whole, options.useGrouping ?? true);
  return (negative && text !== 'NaN' ? '-' : '') + (money ? money[0] : '') + text + (style === 'percent' ? '%' : '');
}

// In decimal, so that 0.07 is 7 %.
function hundredfold(v) {
  if (typeof v === 'bigint') return v * 100n;
  return Number(`${v}e2`) || v * 100;
}

function plain(value, min, max, whole, grouping) {
  let [int, part = ''] = (typeof value === 'bigint' ? `${value}` : rounded(value, max)).split('.');
  while (part.length > min && part.endsWith('0')) part = part.slice(0, -1);
  part = part.padEnd(min, '0');
  int = int.padStart(whole, '0');
  if (grouping !== false && grouping !== 'false') int = int.replace(/\B(?=(\d{3})+$)/g, ',');
  return part ? `${int}.${part}` : int;
}

// Halves go up as the number is written, not as it is stored: 1.005 is 1.01.
function rounded(value, n) {
  const [mantissa, e = '0'] = String(value).split('e');
  let [int, part = ''] = mantissa.split('.');
  const at = int.length + Number(e);
  let all = int + part;
  if (at > all.length) all = all.padEnd(at, '0');
  if (at < 0) all = '0'.repeat(-at) + all;
  const point = Math.max(at, 0);
  const keep = point + n;
  let kept = BigInt(`0${all.slice(0, keep)}`.padEnd(1 + Math.min(keep, all.length), '0'));
  if (keep < all.length && all.charCodeAt(keep) >= 53) kept++;
  const scale = Math.min(keep, all.length) - point;
  const s = String(kept).padStart(Math.max(scale, 0) + 1, '0');
  return scale > 0 ? `${s.slice(0, -scale)}.${s.slice(-scale)}` : s;
}

// ---- Dates -------------------------------------------------------------------------------------------------

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const DATE = ['weekday', 'year', 'month', 'day'], TIME = ['hour', 'minute', 'second'];
const KNOWN = new Set([...DATE, ...TIME, 'hour12', 'hourCycle', 'timeZone', 'dateStyle', 'timeStyle', 'localeMatcher', 'formatMatcher']);
const STYLES = { full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' } };
const TIMES = { medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' } };

const two = (n, how = '2-digit') => (how === '2-digit' ? String(n).padStart(2, '0') : String(n));

function date(d, locales, options = {}, need, otherwise) {
  american(locales);
  known(options, KNOWN);
  if (Number.isNaN(d.getTime())) return 'Invalid Date';
  let o = { ...options };
  if (o.dateStyle !== undefined || o.timeStyle !== undefined) {
    if (need === 'date' && o.timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (need === 'time' && o.dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    if (o.timeStyle === 'full' || o.timeStyle === 'long') refuse(`the time style ${o.timeStyle}`);
    o = { ...o, ...STYLES[o.dateStyle], ...TIMES[o.timeStyle] };
  } else {
    const has = (names) => names.some((k) => o[k] !== undefined);
    const enough = need === 'date' ? has(DATE) : need === 'time' ? has(TIME) : has(DATE) || has(TIME);
    if (!enough) o = { ...o, ...otherwise };
  }
  const zone = o.timeZone;
  if (zone !== undefined && !['UTC', 'GMT', 'Etc/UTC'].includes(zone)) refuse(`the time zone ${zone}`);
  const get = (name) => d[`get${zone === undefined ? '' : 'UTC'}${name}`]();
  const [day, long] = dayText(o, get), time = timeText(o, get);
  if (!day || !time) return day || time;
  // A long month takes "at", a lone day of the week a space.
  return `${day}${day === DAYS[get('Day')] || day === DAYS[get('Day')].slice(0, 3) ? ' ' : long ? ' at ' : ', '}${time}`;
}

// [the text, whether its month is written out]
function dayText(o, get) {
  const { weekday, year, month, day } = o;
  const w = weekday && (weekday === 'long' ? DAYS[get('Day')] : weekday === 'short' ? DAYS[get('Day')].slice(0, 3) : refuse(`the weekday ${weekday}`));
  const full = get('FullYear');
  if (full < 1) refuse('a year before 1');
  const y = year && (year === '2-digit' ? two(full % 100) : String(full));
  const d = day && two(get('Date'), day);
  let text;
  if (month === 'long' || month === 'short') {
    if (w && !day) refuse('a weekday and a month without a day');
    const m = month === 'long' ? MONTHS[get('Month')] : MONTHS[get('Month')].slice(0, 3);
    text = d && y ? `${m} ${d}, ${y}` : [m, d, y].filter(Boolean).join(' ');
  } else if (month !== undefined && month !== 'numeric' && month !== '2-digit') {
    refuse(`the month ${month}`);
  } else {
    if ((w && month && !day) || (!month && [w, y, d].filter(Boolean).length > 1)) refuse('such parts of a date together');
    text = [month && two(get('Month') + 1, month), d, y].filter(Boolean).join('/');
  }
  return [w && text ? `${w}, ${text}` : w || text, month === 'long'];
}

function timeText(o, get) {
  const { hour, minute, second } = o;
  const h = get('Hours'), m = get('Minutes'), s = get('Seconds');
  if (hour === undefined) {
    if (minute !== undefined && second !== undefined) return `${two(m)}:${two(s)}`;
    return minute !== undefined ? String(m) : second !== undefined ? String(s) : '';
  }
  if (second !== undefined && minute === undefined) refuse('hours and seconds without minutes');
  const half = o.hour12 ?? (o.hourCycle === undefined || o.hourCycle === 'h12');
  if (o.hour12 === undefined && o.hourCycle !== undefined && !['h12', 'h23'].includes(o.hourCycle)) refuse(`the hour cycle ${o.hourCycle}`);
  // Midnight is 24 when hour12 is false, as V8 has it.
  const shown = half ? h % 12 || 12 : o.hour12 === false && h === 0 ? 24 : h;
  const text = [half ? two(shown, hour) : two(shown), minute !== undefined && two(m), second !== undefined && two(s)].filter((x) => x !== false).join(':');
  return half ? `${text} ${h < 12 ? 'AM' : 'PM'}` : text;
}

const NUMERIC = { year: 'numeric', month: 'numeric', day: 'numeric' }, CLOCK = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
const method = (on, name, f) => Object.defineProperty(on, name, { value: { [name](locales, options) { return f.call(this, locales, options); } }[name], writable: true, configurable: true, enumerable: false });

method(Number.prototype, 'toLocaleString', function (l, o) { return number(Number.prototype.valueOf.call(this), l, o); });
method(BigInt.prototype, 'toLocaleString', function (l, o) { return number(BigInt.prototype.valueOf.call(this), l, o); });
method(Date.prototype, 'toLocaleString', function (l, o) { return date(this, l, o, 'any', { ...NUMERIC, ...CLOCK }); });
method(Date.prototype, 'toLocaleDateString', function (l, o) { return date(this, l, o, 'date', NUMERIC); });
method(Date.prototype, 'toLocaleTimeString', function (l, o) { return date(this, l, o, 'time', CLOCK); });

// The name of the zone, where it is known: V8 has those of all of them from its own data.
for (const name of ['toString', 'toTimeString']) {
  const own = Date.prototype[name];
  Object.defineProperty(Date.prototype, name, { value: { [name]() {
    const text = own.call(this);
    return [undefined, '', 'UTC', 'UTC0'].includes(process.env.TZ) && text !== 'Invalid Date' ? `${text} (Coordinated Universal Time)` : text;
  } }[name], writable: true, configurable: true, enumerable: false });
}

// ---- Order ---------------------------------------------------------------------------------------------------

// As the root of all languages has it: spaces, marks, digits, letters; accents count when letters are the same, then small ones come first.
const MARKS = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
const rank = (c) => {
  if (c === undefined) return -2000;
  if (/\s/.test(c)) return c.codePointAt(0) - 1000;
  const at = MARKS.indexOf(c);
  return at >= 0 ? at : 100 + c.codePointAt(0);
};
const base = (s) => [...s.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')];
const parts = (list) => list.join('').match(/\d+|\D/gu) ?? [];

function primary(a, b, numeric) {
  if (numeric) [a, b] = [parts(a), parts(b)];
  for (let i = 0; i < a.length || i < b.length; i++) {
    const x = a[i], y = b[i];
    if (x === y) continue;
    if (numeric && /^\d/.test(x) && /^\d/.test(y)) {
      const d = BigInt(x) - BigInt(y);
      if (d) return d < 0n ? -1 : 1;
      continue;
    }
    const d = rank(x) - rank(y);
    if (d) return d < 0 ? -1 : 1;
  }
  return 0;
}

const ORDER = new Set(['numeric', 'sensitivity', 'usage', 'localeMatcher']);
const compare = String.prototype.localeCompare;
Object.defineProperty(String.prototype, 'localeCompare', { value: { localeCompare(that, locales, options = {}) {
  if (locales !== undefined && !/^(en|de|fr|es|it|nl|pt|und)\b/.test([].concat(locales)[0] ?? 'en')) refuse(`the order of the locale ${[].concat(locales)[0]}`);
  known(options, ORDER);
  const a = `${this}`, b = `${that}`, sensitivity = options.sensitivity ?? 'variant';
  const first = primary(base(a), base(b), options.numeric);
  if (first || sensitivity === 'base') return first;
  const accents = Math.sign(compare.call(a.normalize('NFD').toLowerCase(), b.normalize('NFD').toLowerCase()));
  if (sensitivity === 'accent') return accents;
  if (accents && sensitivity !== 'case') return accents;
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] === b[i]) continue;
    if (a[i].toLowerCase() === b[i].toLowerCase()) return a[i] === a[i].toLowerCase() ? -1 : 1;
  }
  return 0;
} }.localeCompare, writable: true, configurable: true, enumerable: false });
