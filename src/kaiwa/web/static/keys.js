// Which key means what. The physical key counts (event.code), so that a Chinese or Japanese input method, which hides
// the character, changes nothing; a letter that the layout prints elsewhere (German z) is taken from event.key.

const ACTIONS = {
  KeyZ: "undo", KeyS: "skip", KeyN: "note", KeyF: "flag", KeyG: "guidelines", KeyH: "keys",
  KeyJ: "next", KeyK: "previous", ArrowDown: "next", ArrowUp: "previous", Enter: "accept",
};

export const HINTS = [
  ["undo", "Z"], ["skip", "S"], ["unsure", "?"], ["note", "N"], ["flag", "F"],
  ["guidelines", "G"], ["move", "J K ↓ ↑"], ["help", "H"],
];

/** What a key press asks for: {answer}, {action} or null; `answers` are those of the task. */
export function meaning(event, answers) {
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return null;
  const onControl = event.target.closest?.("button, a, summary, dialog") !== null;
  if (onControl && ["Space", "Enter", "NumpadEnter"].includes(event.code)) return null;
  if (isQuestion(event)) return { action: "unsure" };
  const code = physical(event);
  const answer = answers.find((one) => one.codes.includes(code));
  if (answer && !event.shiftKey) return { answer };
  return code in ACTIONS ? { action: ACTIONS[code] } : null;
}

function isTyping(target) {
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

function isQuestion(event) {
  return event.key === "?" || event.key === "？" || (event.code === "Slash" && (event.shiftKey || hidden(event)));
}

const hidden = (event) => event.key === "Process" || event.key === "Unidentified" || event.keyCode === 229;

function physical(event) {
  const letter = /^[a-z]$/i.test(event.key) ? `Key${event.key.toUpperCase()}` : event.code;
  return letter.replace("Numpad", "Digit").replace("DigitEnter", "Enter");
}
