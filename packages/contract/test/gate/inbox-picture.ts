import { join } from "node:path";
import { chromiumPath, openChromium } from "../../../tuitbot-web/test/chromium.ts";
import { inboxStage } from "./inbox-stage.ts";

/** `npm run generate -- --pictures` */
const path = chromiumPath();
if (path === undefined) throw new Error("There is no Chromium to take the picture with.");
await using stage = await inboxStage("notes");
await stage.lose("move_file", { source: "notes/a.md", destination: "notes/old/a.md" });
await stage.propose({ path: "notes/plan.md", content: "# Plan\n\n1. Ask for a quote\n2. Book the room\n" });
const edits = [{ oldText: "- Buy flour\n- Call Ana", newText: "- Buy flour and salt\n- Call Ana" }];
await stage.propose({ path: "notes/today.md", edits }, "edit_file");
const browser = await openChromium(path);
const page = await browser.newPage({
  viewport: { width: 960, height: 1240 },
  deviceScaleFactor: 2,
  colorScheme: "light",
});
await page.goto(stage.link);
await page.locator("article", { hasText: "#2" }).waitFor();
await page.screenshot({ path: join(import.meta.dirname, "../../../../docs/pictures/gate-inbox.png") });
await browser.close();
