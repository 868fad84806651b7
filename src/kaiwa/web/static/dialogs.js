// The keys, the guidelines and the note.
import { answerName, levelName } from "./board.js";
import { HINTS } from "./keys.js";
import { got, posted } from "./outbox.js";
import { element, say, visible } from "./words.js";

const byId = (id) => document.getElementById(id);

/** Fills the table of keys with those of the task. */
export function listKeys(criteria) {
  const answers = criteria.answers.map((one) => {
    const keys = one.codes.includes("Space") ? `${one.key} / ${say("keys.space")}` : one.key;
    return [keys, `${answerName(one)} (${levelName(one.level)})`];
  });
  const accept = criteria.mode === "all" ? [["↵", say("keys.accept")]] : [];
  const hints = HINTS.map(([name, key]) => [key, say(`keys.${name}`)]);
  byId("key-rows").replaceChildren(...[...answers, ...accept, ...hints].map(([key, meaning]) =>
    element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, meaning))));
  byId("sign-out").addEventListener("click", async () => {
    await posted("/session", undefined, "DELETE");
    location.replace("/in");
  });
}

export function showKeys() {
  byId("keys").showModal();
}

export async function showGuidelines(lang) {
  const place = byId("guidelines-text");
  place.textContent = say("assess.loading");
  byId("guidelines").showModal();
  const { status, body } = await got(`/guidelines?lang=${encodeURIComponent(lang)}`);
  if (status === 200 && body?.text) {
    place.lang = body.lang;
    place.replaceChildren(...written(body.text));
  } else {
    place.textContent = say(status === 200 || status === 404 ? "assess.no_guidelines" : "assess.text_missing");
  }
}

/** Headings, lists and paragraphs of a plain Markdown text. */
function written(text) {
  return text.split(/\n\s*\n/).flatMap((block) => {
    const lines = block.split("\n").filter((line) => line.trim());
    if (lines.length === 0) return [];
    const heading = /^(#+)\s+(.*)/.exec(lines[0]);
    if (heading) {
      const rest = lines.slice(1).join("\n");
      return [element("h3", {}, visible(heading[2])), ...(rest ? written(rest) : [])];
    }
    if (lines.every((line) => /^\s*(?:[-*]|\d+[.)])\s+/.test(line) || /^\s{2,}/.test(line))) return [list(lines)];
    return [element("p", {}, ...emphasised(lines.join(" ")))];
  });
}

function list(lines) {
  const points = [];
  for (const line of lines) {
    const point = /^\s*(?:[-*]|\d+[.)])\s+(.*)/.exec(line);
    if (point) points.push(point[1]);
    else points[points.length - 1] += ` ${line.trim()}`;
  }
  return element(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {}, ...points.map((one) => element("li", {}, ...emphasised(one))));
}

/** The text with **words** like these in bold, and *those* in italics. */
function emphasised(text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*\s](?:[^*]*[^*\s])?\*)/).map((part, place) => {
    if (place % 2 === 0) return visible(part);
    return part.startsWith("**") ? element("strong", {}, visible(part.slice(2, -2))) : element("em", {}, visible(part.slice(1, -1)));
  });
}

/** The note that the assessor writes; null if it stays as it was. */
export function writtenNote(before) {
  const dialog = byId("note");
  const text = byId("note-text");
  text.value = before;
  dialog.returnValue = "";
  dialog.showModal();
  text.focus();
  return new Promise((resolve) => {
    const quick = (event) => {
      if (event.ctrlKey && event.key === "Enter") dialog.close("keep");
    };
    dialog.addEventListener("keydown", quick);
    dialog.addEventListener("close", () => {
      dialog.removeEventListener("keydown", quick);
      resolve(dialog.returnValue === "keep" ? text.value.trim() : null);
    }, { once: true });
  });
}
