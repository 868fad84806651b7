// Votes that the server has not acknowledged yet. Each is written to the browser's storage before anything is sent,
// and removed after the server has answered that it is on its disk; its key makes sending it twice harmless.

const BATCH = 50;
const PATIENCE = 20_000;
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 8_000;

/** A name for one vote that no other vote has. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  /** The outbox of one person in one task; `on` has saved(answer), refused(vote, error), changed(). */
  constructor(owner, on) {
    this.prefix = `kaiwa/${owner}/`;
    this.on = on;
    this.kept = new Map();
    this.last = 0;
    this.pause = FIRST_PAUSE;
    this.trouble = null;
    this.durable = true;
    this.sending = null;
    this.timer = null;
    for (const event of ["online", "focus", "pageshow"]) window.addEventListener(event, () => this.soon(0));
    window.addEventListener("storage", () => this.on.changed());
  }

  /** The unsent votes, oldest first; those of other tabs too. */
  votes() {
    const found = new Map(this.kept);
    for (const name of storedNames(this.prefix)) {
      const text = localStorage.getItem(name);
      if (text !== null) found.set(name, JSON.parse(text));
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, vote]) => ({ name, vote }));
  }

  /** Keeps a vote and starts to send it. */
  add(vote) {
    this.last = Math.max(this.last + 1, Date.now());
    const name = `${this.prefix}${String(this.last).padStart(15, "0")}/${vote.key}`;
    try {
      localStorage.setItem(name, JSON.stringify(vote));
    } catch {
      this.durable = false;
      this.kept.set(name, vote);
    }
    this.on.changed();
    return this.flush();
  }

  /** Sends what is unsent; true if nothing is left. */
  flush() {
    this.sending ??= this.#sendAll().finally(() => {
      this.sending = null;
      this.on.changed();
    });
    return this.sending;
  }

  soon(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  async #sendAll() {
    for (let batch = this.votes().slice(0, BATCH); batch.length; batch = this.votes().slice(0, BATCH)) {
      const goesOn = await this.#send(batch);
      if (!goesOn) {
        this.soon(this.pause);
        this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
        return false;
      }
      this.pause = FIRST_PAUSE;
      this.on.changed();
    }
    this.trouble = null;
    return true;
  }

  async #send(batch) {
    const reply = await posted("/votes", { votes: batch.map(({ vote }) => vote) });
    if (reply.status === 200) {
      this.trouble = null;
      const acknowledged = new Set(reply.body.saved.map((one) => one.key));
      for (const { name, vote } of batch) if (acknowledged.has(vote.key)) this.#drop(name);
      this.on.saved(reply.body);
      return acknowledged.size > 0;
    }
    if ([400, 404, 409, 413, 422].includes(reply.status)) return this.#setAside(batch, reply);
    this.trouble = [401, 403].includes(reply.status) ? "session" : "offline";
    return false;
  }

  /** A vote that the server refuses would block those after it; it is removed, and the page says so. */
  async #setAside(batch, reply) {
    const named = batch.length === 1 ? batch[0] : batch.find(({ vote }) => vote.key === reply.body?.key);
    if (named === undefined) {
      for (const one of batch) if (!(await this.#send([one]))) return false;
      return true;
    }
    this.#drop(named.name);
    this.on.refused(named.vote, reply.body?.error ?? "");
    return true;
  }

  #drop(name) {
    this.kept.delete(name);
    localStorage.removeItem(name);
  }
}

function storedNames(prefix) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

/** The status and body of a request; status 0 if no answer came. */
export async function posted(address, body, method = "POST") {
  try {
    const answer = await fetch(address, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  } catch {
    return { status: 0, body: null };
  }
}

export const got = (address) => posted(address, undefined, "GET");
