import { render } from "preact";
import { openSession } from "./api/client.ts";
import { startClock } from "./format/clock.ts";
import { language } from "./format/locale.ts";
import { route } from "./parts/route.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";
import { loadWords } from "./text/words.ts";

applyTheme();
startClock();
document.documentElement.lang = language;
const root = document.getElementById("app");
void openSession();
void start();

/** Not awaited here: the other files import this one, and would wait for it while it waits for them. */
async function start(): Promise<void> {
  await loadWords();
  const isConnecting = route.peek().view === "connect";
  const Shown = isConnecting ? (await import("./shell/connect.tsx")).Connect : App;
  if (root !== null) render(<Shown />, root);
}
