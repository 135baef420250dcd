import { render } from "preact";
import { openSession } from "./api/client.ts";
import { startClock } from "./format/clock.ts";
import { language } from "./format/locale.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";
import { loadWords } from "./text/words.ts";

applyTheme();
startClock();
document.documentElement.lang = language;
const root = document.getElementById("app");
void openSession();
await loadWords();
if (root !== null) render(<App />, root);
