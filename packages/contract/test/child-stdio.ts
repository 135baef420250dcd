import { spawn } from "node:child_process";
import { once } from "node:events";
import { serveStdio } from "../src/mcp/stdio.ts";
import { notesApp } from "./notes-product.ts";

/** Reports the child's id, and ends it on exit. */
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
process.stderr.write(`${child.pid}\n`);
serveStdio(notesApp().app, {
  async onEnd() {
    child.kill("SIGKILL");
    await once(child, "exit");
  },
});
