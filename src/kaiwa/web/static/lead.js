// The lead's page: the server draws it; this script asks whether anything changed, and then takes the new sections.
import { posted } from "./outbox.js";
import { say } from "./words.js";

const EVERY = 5_000;
const byId = (id) => document.getElementById(id);
let mark = null;
let seen = new Date();

async function poll() {
  try {
    const answer = await fetch("/lead/data", { cache: "no-store", headers: mark ? { "If-None-Match": mark } : {} });
    if (answer.status === 401 || answer.status === 403) return location.replace("/in");
    if (answer.status !== 304 && !answer.ok) throw new Error(String(answer.status));
    if (answer.status === 200) {
      const first = mark === null;
      mark = answer.headers.get("ETag");
      if (!first) await renew();
    }
    seen = new Date();
    byId("stale").hidden = true;
  } catch {
    byId("stale").textContent = say("lead.stale", { time: seen.toLocaleTimeString(document.documentElement.lang) });
    byId("stale").hidden = false;
  }
  setTimeout(poll, EVERY);
}

/** Takes every section of a new copy of the page, except one in which somebody is writing. */
async function renew() {
  const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
  if (!answer.ok) throw new Error(String(answer.status));
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const section of document.querySelectorAll("main > section, header.bar > p")) {
    const other = section.id ? fresh.getElementById(section.id) : fresh.querySelector("header.bar > p");
    if (other === null || section.id === "inviting" || isBusy(section)) continue;
    for (const open of section.querySelectorAll("details[open]")) fresh.getElementById(open.id)?.setAttribute("open", "");
    section.replaceChildren(...other.childNodes);
  }
  localTimes();
}

function isBusy(section) {
  const typed = [...section.querySelectorAll("input")].some((one) => (one.type === "radio" ? one.checked : one.value));
  return typed || (section.contains(document.activeElement) && document.activeElement.matches("input, select, button"));
}

function localTimes() {
  const lang = document.documentElement.lang;
  const style = { dateStyle: "medium", timeStyle: "short" };
  for (const one of document.querySelectorAll("time")) {
    const when = new Date(one.dateTime);
    if (!Number.isNaN(when.valueOf())) one.textContent = when.toLocaleString(lang, style);
  }
}

function fail({ status, body }) {
  byId("failed").textContent = say("lead.failed", { error: body?.error ?? status });
  byId("failed").hidden = false;
  byId("failed").scrollIntoView({ block: "nearest" });
}

async function send(address, body) {
  byId("failed").hidden = true;
  const reply = await posted(address, body);
  const fine = reply.status >= 200 && reply.status < 300;
  if (!fine) fail(reply);
  return fine ? reply.body ?? {} : null;
}

async function decide(form) {
  const { level, note } = Object.fromEntries(new FormData(form));
  const item = form.closest("[data-item]").dataset.item;
  if (await send("/lead/adjudicate", { item, level: level === "NA" ? "NA" : Number(level), note })) {
    form.reset();
    form.querySelector("button").textContent = say("lead.stored");
    form.querySelector("button").blur();
    await renew();
  }
}

async function invite(form) {
  const { name, role } = Object.fromEntries(new FormData(form));
  const made = await send("/lead/people", { name, role });
  if (made === null) return;
  form.reset();
  const place = byId("invited");
  place.querySelector("p").textContent = say("lead.link_once", { name });
  place.querySelector("input").value = made.link;
  place.querySelector("input").setAttribute("aria-label", say("lead.link_once", { name }));
  place.querySelector("button").textContent = say("lead.copy");
  place.hidden = false;
  place.querySelector("input").select();
  await renew();
}

async function copy(button) {
  const field = button.parentElement.querySelector("input");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = say("lead.copied");
  } catch {
    field.focus();
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.target.id === "invite") invite(event.target);
  else decide(event.target);
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (button?.id === "sign-out") {
    await posted("/session", undefined, "DELETE");
    location.replace("/in");
  } else if (button?.closest("#invited")) {
    copy(button);
  } else if (button?.dataset.person !== undefined) {
    if (button.dataset.sure && !window.confirm(button.dataset.sure)) return;
    button.blur();
    const address = `/lead/people/${encodeURIComponent(button.dataset.person)}`;
    if (await send(address, { [button.dataset.do]: true })) await renew();
  }
});

localTimes();
poll();
