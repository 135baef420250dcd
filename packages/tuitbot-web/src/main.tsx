import { render } from "preact";
import { openSession } from "./api/client.ts";
import { startClock } from "./format/clock.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
startClock();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void openSession();
