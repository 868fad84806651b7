// The post and its comments on the screen: a list on a wide screen, one card at a time on a phone (the style sheet
// hides the others). One panel with the answers and tools moves into the comment in the frame.
import { element, knows, say, visible } from "./words.js";

const TOOLS = [["undo", "Z"], ["skip", "S"], ["unsure", "?"], ["note", "N"], ["flag", "F"], ["guidelines", "G"]];
const narrow = window.matchMedia("(max-width: 42rem)");
const byId = (id) => document.getElementById(id);

export const view = () => (narrow.matches ? "card" : "list");

/** An answer's name: the page's own words for the standard ladder, the task's words otherwise. */
export function answerName(answer) {
  if (!answer.standard) return answer.name;
  return say(`answers.${answer.failed || (answer.level === "NA" ? "na" : "appropriate")}`);
}

export const levelName = (level) => (typeof level === "number" ? `L${level}` : "NA");

export class Board {
  /** `act` is called with {answer} or {action} when a button is pressed, and {index} when a comment is chosen. */
  constructor(criteria, act) {
    this.criteria = criteria;
    this.act = act;
    this.rows = [];
    this.panel = this.#panel();
  }

  show(work) {
    byId("post-part").hidden = false;
    byId("message").hidden = true;
    const post = byId("post");
    post.textContent = visible(work.post.text);
    post.lang = work.post.lang;
    post.dir = "auto";
    this.rows = work.items.map((one, index) => this.#row(one, index, work.items.length));
    byId("items").replaceChildren(...this.rows);
  }

  /** Shows a sentence instead of comments. */
  tell(...sentences) {
    byId("post-part").hidden = true;
    byId("items").replaceChildren();
    byId("message").hidden = false;
    byId("message").replaceChildren(...sentences.map((one) => element("p", {}, one)));
  }

  /** Puts the frame around a comment. */
  focus(index, one) {
    for (const row of this.rows) row.removeAttribute("aria-current");
    const row = this.rows[index];
    row.setAttribute("aria-current", "true");
    row.append(this.panel);
    this.refresh(index, one);
    row.focus({ preventScroll: true });
    if (view() === "card") window.scrollTo(0, 0);
    else row.scrollIntoView({ block: "nearest" });
  }

  /** Shows what is known about a comment now. */
  refresh(index, one) {
    const row = this.rows[index];
    const answer = one.vote && this.answerOf(one.vote);
    row.dataset.state = one.vote ? "voted" : one.skipped ? "skipped" : "open";
    row.querySelector(".mark").textContent = answer ? answer.key : one.vote ? "✓" : one.skipped ? "–" : "·";
    row.querySelector(".state").textContent = this.#stateText(one, answer);
    const tags = [one.training && "training", one.unsure && "unsure", one.note && "note", one.flag && "flag"];
    row.querySelector(".tags").replaceChildren(
      ...tags.filter(Boolean).map((name) => element("span", { class: `tag ${name}` }, say(`assess.${name}`))),
      ...(one.vote ? [element("span", { class: "tag level" }, levelName(one.vote.level))] : []),
    );
    const feedback = row.querySelector(".feedback");
    feedback.hidden = !one.feedback;
    feedback.textContent = visible(one.feedback ?? "");
    if (row.contains(this.panel)) this.#check(one);
  }

  answerOf(vote) {
    const failed = vote.failed ?? [];
    if (failed.length > 1) return null;
    return this.criteria.answers.find((one) => one.level === vote.level && one.failed === (failed[0] ?? "")) ?? null;
  }

  #stateText(one, answer) {
    if (answer) return say("assess.voted", { key: answer.key, answer: answerName(answer) });
    if (one.vote) return levelName(one.vote.level);
    return say(one.skipped ? "assess.skipped" : "assess.open");
  }

  #row(one, index, number) {
    const row = element("li", { class: "item", tabindex: "-1", "data-item": one.item },
      element("span", { class: "mark", "aria-hidden": "true" }),
      element("p", { class: "text", lang: one.lang, dir: "auto" }, visible(one.text)),
      element("span", { class: "nth", "aria-hidden": "true" }, `${index + 1}/${number}`),
      element("span", { class: "tags" }),
      element("span", { class: "state aside" }),
      element("p", { class: "feedback", role: "status", hidden: true }));
    row.addEventListener("click", (event) => {
      if (!event.target.closest("button")) this.act({ index });
    });
    this.rows[index] = row;
    this.refresh(index, one);
    return row;
  }

  #panel() {
    const several = this.criteria.mode === "all";
    this.buttons = this.criteria.answers.map((answer) => {
      const role = several && answer.failed ? "checkbox" : "radio";
      const made = element("button", { type: "button", role, "aria-checked": "false", "data-key": answer.key },
        element("kbd", { "aria-hidden": "true" }, answer.key), " ", element("span", {}, answerName(answer)));
      made.addEventListener("click", () => this.act({ answer }));
      return made;
    });
    const answers = element("div",
      { class: "answers", role: several ? "group" : "radiogroup", "aria-label": say("assess.answers") }, ...this.buttons);
    answers.addEventListener("keydown", (event) => this.#between(event));
    const accept = several ? [this.#tool("accept", "↵")] : [];
    const tools = element("div", { class: "tools" }, this.#tool("previous", "K"), this.#tool("next", "J"), ...accept,
      ...TOOLS.map(([name, key]) => this.#tool(name, key)));
    const go = element("button", { type: "button", class: "continue", hidden: true }, say("assess.continue"));
    go.addEventListener("click", () => this.act({ action: "continue" }));
    const hint = several ? [element("p", { class: "soft" }, say("assess.all_hint"))] : [];
    return element("div", { class: "panel" }, go, ...hint, answers, tools);
  }

  #tool(name, key) {
    const pressed = ["unsure", "flag", "note"].includes(name) ? "false" : null;
    const made = element("button", { type: "button", "data-action": name, "aria-pressed": pressed },
      element("kbd", { "aria-hidden": "true" }, key), " ", say(knows(`assess.do_${name}`) ? `assess.do_${name}` : `assess.${name}`));
    made.addEventListener("click", () => this.act({ action: name }));
    return made;
  }

  /** Left and right arrows move between the answers without choosing one. */
  #between(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.code];
    const place = this.buttons.indexOf(document.activeElement);
    if (step === undefined || place < 0) return;
    this.buttons[(place + step + this.buttons.length) % this.buttons.length].focus();
    event.preventDefault();
  }

  #check(one) {
    const marked = one.vote ? one.vote.failed ?? [] : one.marked ?? [];
    const answer = one.vote && this.answerOf(one.vote);
    this.criteria.answers.forEach((each, place) => {
      const on = this.criteria.mode === "all" && each.failed ? marked.includes(each.failed) : each === answer;
      this.buttons[place].setAttribute("aria-checked", String(on));
    });
    for (const name of ["unsure", "flag", "note"]) {
      this.panel.querySelector(`[data-action=${name}]`).setAttribute("aria-pressed", String(Boolean(one[name])));
    }
    this.panel.querySelector(".continue").hidden = !(one.training && one.feedback);
  }
}
