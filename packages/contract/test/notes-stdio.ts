import { serveStdio } from "../src/mcp/stdio.ts";
import { notesApp, stoppedAt } from "./notes-product.ts";

const { app } = notesApp();
console.log("a stray line that must not reach stdout");
process.stdout.write("nor this one\n");
serveStdio(app, { onEnd: () => console.error(`counts ended: ${stoppedAt.length}`) });
