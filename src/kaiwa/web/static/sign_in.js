// The private link's token stands in the fragment, which no server, log or Referer sees. It leaves the address bar
// before anything else happens, and is exchanged for a session.
import { posted } from "./outbox.js";
import { say } from "./words.js";

const AGAIN = 2_000;
const said = document.getElementById("said");

async function signIn(token) {
  said.textContent = say("sign_in.working");
  const { status } = await posted("/session", { token });
  if (status === 204 || status === 200) {
    location.replace("/");
  } else if (status === 0 || status >= 500) {
    said.textContent = say("sign_in.offline");
    setTimeout(() => signIn(token), AGAIN);
  } else {
    said.textContent = say(status === 429 ? "sign_in.limited" : "sign_in.refused");
  }
}

function start() {
  const token = location.hash.slice(1);
  if (token === "") return;
  history.replaceState(null, "", location.pathname + location.search);
  signIn(token);
}

window.addEventListener("hashchange", start);
start();
