// The assessor's page: asks for work, turns keys into votes, and hands each vote to the outbox.
import { Board, answerName, levelName, view } from "./board.js";
import { listKeys, showGuidelines, showKeys, writtenNote } from "./dialogs.js";
import { meaning } from "./keys.js";
import { Outbox, got, newKey } from "./outbox.js";
import { say } from "./words.js";

const AGAIN = 1_500;
const IDLE = 20_000;
const LATE = 1_200;
const byId = (id) => document.getElementById(id);
const lang = document.documentElement.lang.slice(0, 2);

let state, outbox, board;
let work = null;
let current = 0;
let since = null;
let loading = false;
let past = [];

// The answers of the server

async function start() {
  const { status, body } = await got("/state");
  if (status === 401 || status === 403) return tell("assess.session_ended");
  if (status !== 200) {
    tell("assess.unreachable");
    return setTimeout(start, AGAIN);
  }
  state = body;
  board = new Board(state.criteria, act);
  outbox = new Outbox(`${state.store}/${state.name}`, { saved, refused, changed });
  listKeys(state.criteria);
  if (remember() !== null) showSaved(remember());
  document.addEventListener("keydown", pressed);
  document.addEventListener("visibilitychange", () => (document.hidden ? stopWatch() : startWatch()));
  byId("help").addEventListener("click", showKeys);
  await outbox.flush();
  load();
}

/** Asks for the next post; votes that are still unsent count as given. */
async function load() {
  if (loading) return;
  loading = true;
  await outbox.flush();
  const { status, body } = await got("/work");
  loading = false;
  if (status === 401 || status === 403) return tell("assess.session_ended");
  if (status !== 200) return later("assess.unreachable", AGAIN);
  if (body.paused) return later("assess.paused", IDLE);
  count(body.done, body.total);
  if (body.post === null) {
    byId("place").textContent = "";
    return later("assess.finished", IDLE, "assess.finished_detail");
  }
  const unsent = outbox.votes().map(({ vote }) => vote);
  work = { ...body, items: body.items.map((one) => withUnsent(one, unsent)) };
  byId("place").textContent = say("assess.place", { number: body.post.number, of: body.post.of });
  const open = work.items.findIndex(isOpen);
  if (open < 0) return later("assess.unreachable", AGAIN);
  board.show(work);
  move(open);
}

function tell(...keys) {
  stopWatch();
  work = null;
  byId("message").dataset.kind = keys[0];
  const sentences = keys.map((key) => say(key));
  if (board) board.tell(...sentences);
  else byId("message").textContent = sentences.join(" ");
}

function later(key, wait, ...more) {
  tell(key, ...more);
  setTimeout(() => work === null && load(), wait);
}

function withUnsent(one, unsent) {
  const made = { ...one, unsure: false, note: "", flag: false, seen: 0, ...modifiers(one.vote) };
  for (const vote of unsent.filter((each) => each.item === one.item)) record(made, vote);
  return made;
}

const modifiers = (vote) => (vote ? { unsure: vote.unsure, note: vote.note, flag: vote.flag } : {});

function record(one, vote) {
  one.skipped = Boolean(vote.skip);
  one.vote = vote.level === null ? null : vote;
}

function saved({ saved: rows, feedback = {} }) {
  showSaved(Math.max(...rows.map((one) => one.seq)));
  work?.items.forEach((one, index) => {
    if (one.item in feedback) {
      one.feedback = feedback[one.item];
      board.refresh(index, one);
    }
  });
}

/** The number of the last saved vote; the browser remembers it for the next visit. */
function showSaved(seq) {
  byId("saved").textContent = say("assess.saved", { seq });
  remember(seq);
}

function remember(seq) {
  try {
    if (seq !== undefined) localStorage.setItem(memory(), seq);
    return localStorage.getItem(memory());
  } catch {
    return null;
  }
}

const memory = () => `kaiwa-saved/${state.store}/${state.name}`;

function refused(vote) {
  const one = work?.items.find((each) => each.item === vote.item);
  byId("refused").textContent = say("assess.refused", { text: (one?.text ?? vote.item).slice(0, 80) });
  byId("refused").hidden = false;
  if (one && one.vote?.key === vote.key) {
    one.vote = null;
    board.refresh(work.items.indexOf(one), one);
  }
}

let late = null;

/** The banner appears only if something stays unsent. */
function changed() {
  const number = outbox.votes().length;
  clearTimeout(late);
  if (number === 0) byId("banner").hidden = true;
  else if (outbox.trouble) warn();
  else late = setTimeout(warn, LATE);
}

function warn() {
  const number = outbox.votes().length;
  const key = outbox.trouble === "session" ? "assess.unsent_session" : "assess.unsent";
  const storage = outbox.durable ? "" : ` ${say("assess.storage")}`;
  byId("banner").textContent = say(key, { count: number }) + storage;
  byId("banner").hidden = number === 0;
}

// What the assessor does

function pressed(event) {
  if (document.querySelector("dialog[open]")) return;
  const meant = meaning(event, state.criteria.answers);
  if (meant === null) return;
  event.preventDefault();
  if (!event.repeat || ["next", "previous"].includes(meant.action)) act(meant);
}

const ACTIONS = {
  undo, skip, note: takeNote,
  unsure: () => toggle("unsure"),
  flag: () => toggle("flag"),
  guidelines: () => showGuidelines(lang),
  keys: showKeys,
  next: () => work && move(Math.min(current + 1, work.items.length - 1)),
  previous: () => work && move(Math.max(current - 1, 0)),
  continue: goOn,
  accept,
};

function act({ answer, action, index }) {
  if (action !== undefined) ACTIONS[action]();
  else if (work === null) return;
  else if (index !== undefined) move(index);
  else choose(answer);
}

/** With `all`, a failing criterion is marked first and accepted later; any other answer is a vote. */
function choose(answer) {
  const one = work.items[current];
  if (state.criteria.mode !== "all" || !answer.failed) return vote(answer.failed ? [answer.failed] : [], answer.level);
  const marked = one.marked ?? one.vote?.failed ?? [];
  one.marked = marked.includes(answer.failed) ? marked.filter((each) => each !== answer.failed) : [...marked, answer.failed];
  one.vote = null;
  board.refresh(current, one);
}

function accept() {
  if (work === null) return;
  const one = work.items[current];
  if (one.training && one.feedback) return goOn();
  if (state.criteria.mode !== "all" || !one.marked) return;
  const levels = state.criteria.answers.filter((each) => one.marked.includes(each.failed) && each.failed);
  const numbers = state.criteria.answers.map((each) => each.level).filter((level) => level !== "NA");
  vote(one.marked, Math.min(Math.max(...numbers), ...levels.map((each) => each.level)));
}

function ballot(one, what) {
  stopWatch();
  return {
    key: newKey(), item: one.item, shown: one.shown, lease: one.lease, failed: [], level: null, unsure: one.unsure,
    note: one.note, flag: one.flag, undo_of: "", view: view(), position: one.position, seen_ms: Math.round(one.seen),
    lang, client_time: new Date().toISOString(), skip: false, ...what,
  };
}

function give(one, given) {
  past.push({ work, index: work.items.indexOf(one), key: given.key });
  const before = isOpen(one);
  record(one, given);
  if (before && one.vote) count(work.done + 1, work.total);
  outbox.add(given);
}

function vote(failed, level) {
  const one = work.items[current];
  give(one, ballot(one, { failed, level, undo_of: one.vote?.key ?? "" }));
  one.marked = undefined;
  board.refresh(current, one);
  const answer = board.answerOf(one.vote);
  byId("announce").textContent = say("assess.announce_saved", { answer: answer ? answerName(answer) : levelName(level) });
  if (one.training) startWatch();
  else goOn();
}

function skip() {
  if (work === null) return;
  const one = work.items[current];
  give(one, ballot(one, { skip: true, undo_of: one.vote?.key ?? "" }));
  board.refresh(current, one);
  goOn();
}

/** The next comment that is open, or else the next post. */
function goOn() {
  if (work === null) return;
  const order = [...work.items.keys()];
  const next = [...order.slice(current + 1), ...order.slice(0, current)].find((place) => isOpen(work.items[place]));
  if (next === undefined) load();
  else move(next);
}

const isOpen = (one) => !one.vote && !one.skipped;

async function undo() {
  const last = past.pop() ?? (await lastStored());
  if (!last) return;
  if (last.work !== work) {
    work = last.work;
    board.show(work);
  }
  const one = work.items[last.index];
  if (one.vote) count(work.done - 1, work.total);
  outbox.add(ballot(one, { undo_of: last.key }));
  record(one, { level: null });
  byId("announce").textContent = say("assess.announce_undone");
  move(last.index);
}

/** The last vote of an earlier visit, as the server knows it: a list of one comment. */
async function lastStored() {
  await outbox.flush();
  const { status, body } = await got("/votes/mine?last");
  if (status !== 200 || body.votes.length === 0) return null;
  const vote = body.votes[0];
  const made = withUnsent({ ...vote, vote }, []);
  const { done, total } = work ?? state;
  return { work: { post: vote.post, items: [made], done, total }, index: 0, key: vote.key };
}

function toggle(name) {
  if (work === null) return;
  const one = work.items[current];
  one[name] = !one[name];
  changeVote(one);
}

async function takeNote() {
  if (work === null) return;
  const one = work.items[current];
  const text = await writtenNote(one.note);
  if (text !== null) one.note = text;
  changeVote(one);
  move(current);
}

/** A mark on a comment that has its vote already is a new vote with the same answer. */
function changeVote(one) {
  if (one.vote) give(one, ballot(one, { failed: one.vote.failed, level: one.vote.level, undo_of: one.vote.key }));
  board.refresh(work.items.indexOf(one), one);
  startWatch();
}

function move(index) {
  stopWatch();
  current = index;
  board.focus(index, work.items[index]);
  startWatch();
}

function count(done, total) {
  if (work !== null) work.done = done;
  byId("done").textContent = say("assess.done", { done, total });
}

// The time that a comment was in the frame of a visible page

function startWatch() {
  if (work !== null && !document.hidden) since = performance.now();
}

function stopWatch() {
  if (work !== null && since !== null) work.items[current].seen += performance.now() - since;
  since = null;
}

start();
