import { randomBytes } from "node:crypto";
import type { Answer } from "./inbox.ts";
import { RULES_SCRIPT, RULES_SECTION } from "./inbox-rules-page.ts";

/** The page: one document that loads nothing from other hosts, and shows data of others as text only. */
export function inboxPage(gate: string): Answer {
  const nonce = randomBytes(16).toString("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escaped(gate)} · inbox</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header><h1>${escaped(gate)}</h1><p id="state" role="status">Loading…</p></header>
<main>
<section id="doubts" hidden><h2>Unknown outcome</h2><p class="hint">These calls were sent, and their answers were lost. Check whether each call took effect, then record the result. Nothing is resent.</p><div class="list"></div></section>
<section id="waiting"><h2>Waiting for you</h2><div class="list"></div></section>
${RULES_SECTION}
<section id="recent"><h2>Recent calls</h2><div class="scroll"><table><thead><tr><th>Time (UTC)</th><th>Tool</th><th>Rule</th><th>Outcome</th><th>Client</th></tr></thead><tbody></tbody></table></div></section>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`,
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// Colors and sizes are those of tuitbot's dashboard (packages/tuitbot-web/src/styles/tokens.css).
const STYLE = `
:root{color-scheme:light dark;--bg:#f6f6f4;--card:#fff;--ink:#191816;--soft:#67635a;--line:#e7e5e0;--line-strong:#cfcbc0;--go:#2456d6;--go-ink:#fff;--plus:#177245;--stop:#b5263f;--code:#f0eee8;--warn:#815500;--warn-bg:#fcf2d6;--shadow:0 1px 2px rgb(40 34 20/.06),0 10px 28px -16px rgb(40 34 20/.22)}
@media(prefers-color-scheme:dark){:root{--bg:#0e1012;--card:#15181b;--ink:#ebe9e4;--soft:#a09c93;--line:#272b30;--line-strong:#3a3f46;--go:#7aa2ff;--go-ink:#0a1530;--plus:#54c58d;--stop:#ff8496;--code:#141619;--warn:#e3b34f;--warn-bg:#2a2313;--shadow:0 1px 2px rgb(0 0 0/.4),0 10px 28px -16px rgb(0 0 0/.7)}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.5 "Inter",ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
header{display:flex;align-items:baseline;gap:1rem;flex-wrap:wrap;padding:1.5rem max(1rem,calc((100vw - 52rem)/2)) 0}
main{padding:0 max(1rem,calc((100vw - 52rem)/2)) 4rem}
h1{font-size:21px;margin:0}h2{font-size:15px;margin:2rem 0 .5rem}
header p{margin:0;color:var(--soft)}
.hint,.empty{color:var(--soft);margin:.25rem 0 1rem}
article{background:var(--card);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow);padding:18px;margin:0 0 1rem}
article.doubt{border-color:var(--warn);background:var(--warn-bg)}
article h3{margin:0;font:600 17px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
article h3 span{color:var(--soft);font-weight:400}
.meta{color:var(--soft);font-size:13px;margin:.15rem 0 .75rem;overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:0 0 .9rem;max-height:24rem;overflow:auto;font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.actions{display:flex;gap:.6rem;flex-wrap:wrap;align-items:center}
button{font:inherit;font-weight:560;border-radius:8px;min-height:38px;padding:6px 14px;border:1px solid var(--line-strong);background:transparent;color:var(--ink);cursor:pointer}
button.go{background:var(--go);border-color:var(--go);color:var(--go-ink)}
button.stop{color:var(--stop);border-color:var(--stop)}
button:focus-visible,input:focus-visible,pre:focus-visible{outline:2px solid var(--go);outline-offset:2px}
button:disabled{opacity:.5;cursor:default}
input{font:inherit;flex:1 1 12rem;min-width:0;padding:.4rem .7rem;border:1px solid var(--line-strong);border-radius:8px;background:var(--card);color:var(--ink)}
article.proposal p{margin:0 0 .6rem;overflow-wrap:anywhere}article.proposal .value{font:13px/1.5 ui-monospace,monospace}
article.plan{border-color:var(--go)}article.plan .meta{margin-bottom:.6rem}
.similar{flex-basis:100%;margin:.4rem 0 0}.similar summary{margin-bottom:.5rem}
.said{color:var(--stop);font-size:13px;margin:.6rem 0 0}
.change span{display:block}.plus{color:var(--plus)}.minus{color:var(--stop)}
h4{margin:.6rem 0 .25rem;font:600 13px/1.5 ui-monospace,monospace;color:var(--soft)}
.value{margin:0 0 .5rem;font-size:14px;overflow-wrap:anywhere}.value b,summary{font:600 13px/1.5 ui-monospace,monospace;color:var(--soft)}
.value code{font:13px/1.5 ui-monospace,monospace}
details{margin:0 0 .9rem}details pre{margin-top:.4rem}summary{cursor:pointer}
summary:focus-visible{outline:2px solid var(--go);outline-offset:2px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{text-align:left;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500}td:nth-child(2){font-family:ui-monospace,monospace}
`;

const SCRIPT = `
"use strict";
const $ = (id) => document.getElementById(id);
let csrf = "";
const make = (name, text, cls) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (cls !== undefined) node.className = cls;
  return node;
};
const post = async (path, body) => {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gate-csrf": csrf },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  return response.ok ? undefined : (answer.error ?? "The request failed.");
};
const changed = (text) => {
  const lines = make("pre", undefined, "change");
  for (const line of text.split("\\n")) lines.append(make("span", line + "\\n", line[0] === "+" ? "plus" : line[0] === "-" ? "minus" : ""));
  lines.tabIndex = 0;
  return lines;
};
// Long JSON, and the whole content of a file whose change is shown, are folded.
const MAX_OPEN = 12;
function argument({ name, kind, text }, hasChange) {
  if (kind === "value") {
    const line = make("p", undefined, "value");
    line.append(make("b", name), " ", make("code", text));
    return [line];
  }
  const lines = text.replace(/\\n$/, "").split("\\n").length;
  const code = kind === "difference" ? changed(text) : make("pre", text);
  code.tabIndex = 0;
  if (kind === "difference" || (lines <= MAX_OPEN && !hasChange) || (kind === "lines" && !hasChange)) return [make("h4", name), code];
  const fold = make("details");
  fold.append(make("summary", name + " · " + lines + " lines"), code);
  return [fold];
}
function card({ title, number, parts, change, cls, hint, buttons, extra }) {
  const box = make("article", undefined, cls);
  const heading = make("h3", title + " ");
  if (number !== undefined) heading.append(make("span", "#" + number));
  const note = make("input");
  note.placeholder = hint;
  note.setAttribute("aria-label", hint);
  note.maxLength = 2000;
  const said = make("p", "", "said");
  said.setAttribute("role", "alert");
  const actions = make("div", undefined, "actions");
  const all = buttons.map(({ label, cls, act }) => {
    const button = make("button", label, cls);
    button.addEventListener("click", async () => {
      for (const one of all) one.disabled = true;
      const problem = await act(note.value).catch(() => "The gate cannot be reached.");
      if (problem === undefined) return loadAll();
      said.textContent = problem;
      for (const one of all) one.disabled = false;
    });
    return button;
  });
  actions.append(...all, note);
  if (extra !== undefined) actions.append(extra(loadAll));
  const meta = make("p", "", "meta");
  box.append(heading, meta);
  if (change !== undefined) box.append(changed(change));
  const hasChange = parts.some(({ kind }) => kind === "difference");
  for (const part of parts) box.append(...argument(part, hasChange));
  if (parts.length === 0) box.append(make("p", "No arguments.", "value"));
  box.append(actions, said);
  return { box, meta };
}
// The rule is shown before it can be accepted.
const similar = (one) => (done) => {
  const box = make("details", undefined, "similar");
  const rule = make("div");
  const choose = async (period, label) => {
    const response = await fetch("/similar", { method: "POST", headers: { "content-type": "application/json", "x-gate-csrf": csrf }, body: JSON.stringify({ source: one.source, id: one.id, period }) });
    const answer = await response.json();
    const lines = answer.lines ?? [answer.error ?? "The request failed."];
    rule.replaceChildren(...lines.map((line) => make("p", line, "hint")));
    if (!response.ok) return;
    const accept = make("button", "Approve, and allow similar for " + label, "go");
    accept.addEventListener("click", async () => {
      accept.disabled = true;
      const problem = await post("/similar", { source: one.source, id: one.id, digest: one.digest, period });
      if (problem === undefined) return done();
      rule.append(make("p", problem, "said"));
    });
    rule.append(accept);
  };
  box.append(make("summary", "Allow similar for…"));
  for (const [period, label] of [["day", "a day"], ["week", "a week"]]) {
    const button = make("button", label[0].toUpperCase() + label.slice(1));
    button.addEventListener("click", () => void choose(period, label).catch(() => rule.replaceChildren(make("p", "The gate cannot be reached.", "said"))));
    box.append(button, " ");
  }
  box.append(rule);
  return box;
};
// All calls of a plan are on the screen before they can be approved together.
const plan = (all) => {
  const { title, of, id } = all[0].plan;
  const box = make("article", undefined, "plan");
  box.append(make("h3", "Plan: " + title), make("p", all.length === of ? of + " calls, in this order:" : all.length + " of " + of + " calls wait:", "meta"));
  const button = make("button", "Approve all " + all.length, "go");
  button.disabled = plans.has(id);
  button.addEventListener("click", async () => {
    plans.add(id);
    button.disabled = true;
    for (const one of all) await post("/decide", { source: one.source, id: one.id, digest: one.digest, approve: true }).catch(() => {});
    plans.delete(id);
    load();
  });
  box.append(button);
  return box;
};
const plans = new Set();
const drawn = new Map();
// It is drawn anew only when its calls have changed.
const planOf = (id, waiting) => {
  const all = waiting.filter((one) => one.plan?.id === id);
  const version = all.map((one) => one.digest).join();
  if (drawn.get(id)?.version !== version) drawn.set(id, { version, box: plan(all) });
  return drawn.get(id).box;
};
// A card is kept while its item waits: a note survives the arrival of another item.
const cards = new Map();
const cardOf = (key, meta, content) => {
  if (!cards.has(key)) cards.set(key, card(content));
  const known = cards.get(key);
  known.meta.textContent = meta;
  return known.box;
};
function arrange(list, nodes) {
  for (const node of [...list.children]) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
}
// The name of the gate or server, if there are several.
const fromOf = ({ in_doubt, waiting }, { gate }) => [...in_doubt, ...waiting].some((one) => one.gate !== gate) ? gate + " · " : "";
const nothing = make("p", "Nothing waits.", "empty");
function draw(data) {
  const doubts = data.in_doubt.map((one) => cardOf("doubt " + one.source + " " + one.id, fromOf(data, one) + "Sent " + one.sent + ". " + one.note, {
    title: one.tool, cls: "doubt", parts: one.parts, hint: "What you found (optional)",
    buttons: [
      { label: "It was done", cls: "go", act: (note) => post("/settle", { source: one.source, id: one.id, done: true, note }) },
      { label: "It was not done", cls: "stop", act: (note) => post("/settle", { source: one.source, id: one.id, done: false, note }) },
    ],
  }));
  $("doubts").hidden = doubts.length === 0;
  arrange($("doubts").querySelector(".list"), doubts);
  const waiting = data.waiting.map((one) => cardOf(one.source + " " + one.id + " " + one.digest, fromOf(data, one) + "Called " + one.asked + " by " + one.client + ", expires " + one.expires + ". " + one.reason, {
    title: one.tool, number: one.id, parts: one.parts, change: one.change, hint: "Why not? The agent reads this",
    buttons: [
      { label: "Approve", cls: "go", act: () => post("/decide", { source: one.source, id: one.id, digest: one.digest, approve: true }) },
      { label: "Reject", cls: "stop", act: (note) => post("/decide", { source: one.source, id: one.id, digest: one.digest, approve: false, note }) },
    ],
    extra: one.can_allow_similar && one.change === undefined ? similar(one) : undefined,
  }));
  const shown = waiting.flatMap((box, index) => {
    const id = data.waiting[index].plan?.id;
    const isFirst = id !== undefined && data.waiting[index - 1]?.plan?.id !== id;
    return isFirst ? [planOf(id, data.waiting), box] : [box];
  });
  arrange($("waiting").querySelector(".list"), shown.length > 0 ? shown : [nothing]);
  for (const [key, { box }] of cards) if (!box.isConnected) cards.delete(key);
}
function drawRecent(data) {
  $("recent").querySelector("tbody").replaceChildren(...data.recent.map((one) => {
    const row = make("tr");
    for (const text of [one.at, one.tool, one.decision, one.outcome, one.client]) row.append(make("td", text));
    return row;
  }));
}
${RULES_SCRIPT}
async function load() {
  try {
    const response = await fetch("/waiting");
    const data = await response.json();
    if (!response.ok) { $("state").textContent = data.error; return; }
    csrf = data.csrf;
    const open = data.waiting.length + data.in_doubt.length;
    $("state").textContent = (open === 0 ? "Nothing waits" : open + " to decide") + " · spent today " + data.spent.day;
    document.title = (open === 0 ? "" : "(" + open + ") ") + document.title.replace(/^\\(\\d+\\) /, "");
    draw(data);
    drawRecent(data);
  } catch { $("state").textContent = "The gate cannot be reached."; }
}
async function loadAll() {
  await Promise.all([load(), loadRules().catch(() => {})]);
}
async function begin() {
  const ticket = location.hash.slice(1);
  if (ticket !== "") {
    history.replaceState(null, "", "/");
    await post("/session", { ticket });
  }
  await loadAll();
  setInterval(load, 2000);
}
begin();
`;
