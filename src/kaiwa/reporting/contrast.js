"use strict";
(() => {
  const data = JSON.parse(document.getElementById("answers").textContent);
  const form = document.getElementById("choose");
  const target = document.getElementById("contrast");

  // textContent only: no name or text of a run or post can become markup
  const make = (tag, words = "", kind = "") => {
    const node = document.createElement(tag);
    node.textContent = words;
    if (kind) node.className = kind;
    return node;
  };
  const withLanguage = (node) => {
    const words = node.textContent;
    if (/[\u3041-\u30ff\uff66-\uff9f]/.test(words)) node.lang = "ja";
    else if (/\p{Script=Han}/u.test(words)) node.lang = data.han;
    return node;
  };
  const folded = (words, isLong) => {
    const span = withLanguage(make("span", words));
    if (!isLong) return span;
    const fold = make("details", "", "fold");
    const summary = make("summary");
    summary.append(span);
    fold.append(summary);
    return fold;
  };
  const votesOf = (votes) => {
    const total = votes.reduce((sum, one) => sum + one, 0);
    if (!total) return make("span", "not judged", "votes");
    if (total > data.listed) {
      return make("span", "votes " + votes.map((n, level) => `${n} × L${level}`).join(", "), "votes");
    }
    const shown = make("span", "", "votes");
    shown.append(make("span", "votes ", "aside"));
    for (let level = votes.length - 1; level >= 0; level--) {
      const kind = level === votes.length - 1 ? "hi" : level ? "mid" : "lo";
      for (let n = 0; n < votes[level]; n++) shown.append(make("b", String(level), kind), " ");
    }
    return shown;
  };
  const answersOf = (topic, run) => {
    const list = make("ol");
    for (const place of topic.lists[run]) {
      const [name, words, votes, isLong] = topic.items[place];
      const row = make("li");
      row.append(folded(words || name, isLong));
      if (words && name) row.append(" ", make("small", name));
      row.append(" ", votesOf(votes));
      list.append(row);
    }
    if (!list.children.length) list.append(make("li", "no answer"));
    return list;
  };
  const topicOf = (topic, measure, pair, isOpen) => {
    const scores = topic.scores[measure];
    const whole = make("details");
    whole.open = isOpen;
    whole.append(make("summary", `${topic.id}: ${scores[pair[0]].toFixed(4)} against ${scores[pair[1]].toFixed(4)}`));
    if (topic.post) {
      const post = make("blockquote");
      post.append(folded(topic.post, topic.long));
      whole.append(post);
    }
    const two = make("div", "", "two");
    for (const run of pair) {
      const side = make("div");
      const head = make("h3", data.runs[run] + " ");
      head.append(make("small", `${data.measures[measure]} ${scores[run].toFixed(4)}`));
      side.append(head, answersOf(topic, run));
      two.append(side);
    }
    whole.append(two);
    return whole;
  };
  const show = () => {
    const measure = Number(form.elements.measure.value);
    const pair = [Number(form.elements.left.value), Number(form.elements.right.value)];
    const distance = (topic) => Math.abs(topic.scores[measure][pair[0]] - topic.scores[measure][pair[1]]);
    const furthest = [...data.topics].sort((a, b) => distance(b) - distance(a)).slice(0, data.shown);
    target.replaceChildren(...furthest.map((topic, place) => topicOf(topic, measure, pair, place < data.open)));
  };
  const fill = (name, choices, chosen) => {
    for (const [value, words] of choices.entries()) {
      form.elements[name].append(new Option(words, value, value === chosen, value === chosen));
    }
  };
  fill("measure", data.measures, 0);
  fill("left", data.runs, 0);
  fill("right", data.runs, 1);
  form.addEventListener("change", show);
  form.hidden = false;
})();
