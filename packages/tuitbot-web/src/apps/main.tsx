import { render } from "preact";
import { startClock } from "../format/clock.ts";
import { language } from "../format/locale.ts";
import { loadWords } from "../text/words.ts";
import { Analytics } from "./analytics.tsx";
import { type Answer, answerOf } from "./answer.ts";
import { Approval } from "./approval.tsx";
import { connectHost, type Host } from "./host.ts";
import { PostPreview } from "./post-preview.tsx";
import { appWords } from "./words.ts";

/** Three apps in one document: the server says in `data-app` which one this is. */
const name = document.documentElement.dataset.app;
const root = document.getElementById("app");

function show(host: Host, answer: Answer): void {
  if (root === null) return;
  if (name === "post-preview") render(<PostPreview answer={answer} />, root);
  else if (name === "analytics") render(<Analytics answer={answer} />, root);
  else render(<Approval host={host} answer={answer} />, root);
}

function say(text: string): void {
  if (root !== null) render(<p class="empty-app">{text}</p>, root);
}

startClock();
document.documentElement.lang = language;
await loadWords();
say(appWords.waitsForAnswer);
const results: Answer[] = [];
let connected: Host | undefined;
connected = await connectHost({
  onResult(result) {
    results.push(answerOf(result));
    if (connected !== undefined) show(connected, answerOf(result));
  },
  onCancelled: () => say(appWords.cancelled),
  onContext({ theme }) {
    if (theme !== undefined) document.documentElement.dataset.theme = theme;
  },
});
const latest = results.at(-1);
if (latest !== undefined) show(connected, latest);
