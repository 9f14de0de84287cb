// diagnostics_channel.
const channels = new Map();
class Channel {
  #subscribers = [];
  constructor(name) { this.name = name; }
  get hasSubscribers() { return this.#subscribers.length > 0; }
  subscribe(f) { this.#subscribers.push(f); }
  unsubscribe(f) {
    const i = this.#subscribers.indexOf(f);
    if (i >= 0) this.#subscribers.splice(i, 1);
    return i >= 0;
  }
  publish(message) { for (const f of [...this.#subscribers]) f(message, this.name); }
}
const channel = (name) => channels.get(name) ?? (channels.set(name, new Channel(name)), channels.get(name));
module.exports = { Channel, channel, hasSubscribers: (name) => channel(name).hasSubscribers, subscribe: (name, f) => channel(name).subscribe(f), unsubscribe: (name, f) => channel(name).unsubscribe(f) };
