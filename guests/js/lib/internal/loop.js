// The event loop: ticks, microtasks, timers, file operations that were asked for, descriptors that are waited for, immediates.
const ticks = [], ops = [], watchers = new Set();
let immediates = [], timers = [], seq = 0, holds = 0, running = true;
let onUncaught = null, afterMicrotasks = null;

const now = () => host.now(1);

// ---- Ticks and microtasks ------------------------------------------------------------------------------

function guarded(f, ...args) {
  try {
    f(...args);
  } catch (e) {
    onUncaught(e);
  }
}

// Everything that wants to run before anything else does.
function drain() {
  for (;;) {
    while (ticks.length) {
      const t = ticks.shift();
      guarded(t[0], ...t[1]);
    }
    try {
      host.jobs();
    } catch (e) {
      onUncaught(e);
    }
    if (ticks.length) continue;
    if (!afterMicrotasks()) return;
  }
}

function step(f, ...args) {
  guarded(f, ...args);
  drain();
}

// ---- Timers -----------------------------------------------------------------------------------------------

// A heap by time, then by the order of their making.
const before = (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(t) {
  let i = timers.length;
  timers.push(t);
  while (i > 0) {
    const up = (i - 1) >> 1;
    if (!before(t, timers[up])) break;
    timers[i] = timers[up];
    i = up;
  }
  timers[i] = t;
}

function pop() {
  const top = timers[0], last = timers.pop();
  if (timers.length === 0) return top;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= timers.length) break;
    if (child + 1 < timers.length && before(timers[child + 1], timers[child])) child++;
    if (!before(timers[child], last)) break;
    timers[i] = timers[child];
    i = child;
  }
  timers[i] = last;
  return top;
}

// Entries are {at, order, call, alive, ref}; a dead one is dropped when its time comes.
function addTimer(delay, call, ref = true) {
  const t = { at: now() + delay, order: seq++, call, alive: true, ref };
  push(t);
  return t;
}

function firstTimer() {
  while (timers.length && !timers[0].alive) pop();
  return timers[0];
}

function runTimers() {
  const time = now();
  for (let t; (t = firstTimer()) && t.at <= time;) {
    pop();
    t.alive = false;
    step(t.call);
  }
}

// ---- The loop ------------------------------------------------------------------------------------------------

function alive() {
  if (immediates.some((i) => i.alive && i.ref) || ops.length || holds > 0) return true;
  for (const w of watchers) if (w.ref) return true;
  return timers.some((t) => t.alive && t.ref);
}

function wait() {
  const t = firstTimer();
  let ms = immediates.length || ops.length ? 0 : t ? Math.max(0, t.at - now()) : -1;
  const fds = [];
  for (const w of watchers) fds.push(w.fd);
  if (fds.length === 0 && ms <= 0) return;
  const ready = host.poll(fds, ms);
  if (ready.length === 0) return;
  for (const w of [...watchers]) if (watchers.has(w) && ready.includes(w.fd)) step(w.call);
}

function run() {
  drain();
  while (running && alive()) {
    runTimers();
    for (const op of ops.splice(0)) step(op);
    if (!running || !alive()) break;
    wait();
    const list = immediates;
    immediates = [];
    for (const i of list) {
      if (!i.alive) continue;
      i.alive = false;
      step(i.call);
    }
  }
}

module.exports = {
  run, drain, step, alive, addTimer, now,
  nextTick(f, ...args) { ticks.push([f, args]); },
  pending(op) { ops.push(op); },
  immediate(call) { const i = { call, alive: true, ref: true }; immediates.push(i); return i; },
  watch(fd, call) { const w = { fd, call, ref: true }; watchers.add(w); return w; },
  unwatch(w) { watchers.delete(w); },
  hold() { holds++; },
  release() { holds--; },
  stop() { running = false; },
  set(hooks) { ({ onUncaught, afterMicrotasks } = hooks); },
};
