// The page's words, and texts of others made safe to look at.

const table = JSON.parse(document.querySelector('meta[name="words"]').content);

/** The words of a key, with values in the places of their names. */
export function say(key, values = {}) {
  return table[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function knows(key) {
  return key in table;
}

const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with control and bidirectional characters shown as escapes, as the server's own pages show them. */
export function visible(text) {
  return text.replace(CONTROLS, (char) => {
    const code = char.charCodeAt(0);
    return { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[char] ??
      (code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`);
  });
}

/** An element with attributes and children; texts become text nodes, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((one) => one !== null));
  return made;
}
