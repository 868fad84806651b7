// Stands in for the server in a page that is one file: answers the requests of the page from the items in it, keeps
// every vote in the browser, and saves the log of votes as a file.
const round = JSON.parse(document.getElementById("round").textContent);
const place = `kaiwa-sheet/${round.sheet}/${round.assessor}`;
const TOGETHER = 10;
const items = new Map();
round.posts.forEach((post, number) =>
  post.items.forEach((one, position) => {
    items.set(`${number}.${position}`, { ...one, topic: post.topic, post: number, position: position + 1 });
  }));
let log = kept();

function kept() {
  try {
    return JSON.parse(localStorage.getItem(place)) ?? [];
  } catch {
    return [];
  }
}

function keep() {
  try {
    localStorage.setItem(place, JSON.stringify(log));
  } catch {
    button.dataset.unkept = "";
  }
}

/** The vote that counts on each item, and the items that were put off, in the order of the log. */
function standing() {
  const undone = new Set(log.map((one) => one.undo_of));
  const votes = new Map();
  const skipped = new Set();
  for (const one of log) {
    if (undone.has(one.key)) continue;
    if (one.skip) skipped.add(one.item);
    else if (one.level !== null) {
      votes.set(one.item, one);
      skipped.delete(one.item);
    }
  }
  return { votes, skipped };
}

const REQUESTS = {
  "/state": () => ({ name: round.assessor, task: round.task, store: place, criteria: round.criteria, languages: [] }),
  "/work": work,
  "/votes": ({ votes }) => {
    const known = new Set(log.map((one) => one.key));
    for (const one of votes) if (!known.has(one.key)) log.push(one);
    keep();
    count();
    const seq = log.length;
    return { saved: votes.map(({ key }) => ({ key, seq, surplus: false })), head: "", count: seq, feedback: {} };
  },
  "/votes/mine": () => ({
    votes: log.filter((one) => standing().votes.get(one.item)?.key === one.key)
      .map((one) => ({ ...one, seq: log.indexOf(one) })),
  }),
  "/guidelines": () => {
    const [lang, text] = Object.entries(round.guidelines)[0] ?? ["", ""];
    return { lang, text };
  },
};

function work() {
  const { votes, skipped } = standing();
  const open = [...items].filter(([name]) => !votes.has(name));
  const [next] = [...open.filter(([name]) => !skipped.has(name)), ...open];
  const numbers = { done: votes.size, total: items.size };
  if (next === undefined) return { post: null, ...numbers };
  const number = next[1].post;
  const listed = open.filter(([name, one]) => one.post === number && skipped.has(name) === skipped.has(next[0]));
  return {
    post: { ...round.posts[number], items: undefined, number: number + 1, of: round.posts.length },
    items: listed.slice(0, TOGETHER).map(([item, one]) => ({ ...one, item, lease: "", vote: null, training: false })),
    ...numbers,
  };
}

/** Used by the page's scripts instead of the browser's own fetch: nothing leaves this page. */
async function fetch(address, { body } = {}) {
  const answer = REQUESTS[address.split("?")[0]]?.(body === undefined ? {} : JSON.parse(body));
  return { status: answer === undefined ? 404 : 200, json: async () => answer ?? null };
}

const button = document.createElement("button");
button.type = "button";
button.id = "save-file";
document.getElementById("help").before(button);
button.addEventListener("click", save);
document.getElementById("sign-out").hidden = true;

function count() {
  const text = JSON.parse(document.querySelector('meta[name="words"]').content)["assess.save_file"] ?? "{count}";
  button.textContent = text.replace("{count}", standing().votes.size);
}

function save() {
  const votes = log.map((one) => {
    const { topic, comment } = items.get(one.item);
    return { ...one, topic, comment };
  });
  const { format, version, task, assessor, sheet } = round;
  const text = JSON.stringify({ format, version, task, assessor, sheet, votes }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `votes-${assessor.replace(/[^\p{L}\p{N}_-]/gu, "_")}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

count();
