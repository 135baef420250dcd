import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { defineServer, ok } from "../src/index.ts";
import { serveStdio } from "../src/mcp/stdio.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** For marker files, written when `wait` starts and when it is canceled. */
const [folder = "."] = process.argv.slice(2);
const mark = (name: "waiting" | "cancelled") => writeFileSync(join(folder, name), String(process.pid));
const server = defineServer({ name: "pictures", version: "1.0.0", instructions: "Draws." });
const head = { effect: "none", openWorld: false, errors: [], input: z.strictObject({}) } as const;
const draw = server.tool({
  ...head,
  name: "draw",
  title: "Draw",
  description: "Draw a picture.",
  hasContent: true,
  output: z.object({ width: z.number() }),
  handler: () => ok({ width: 1 }, { content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
});
const wait = server.tool({
  ...head,
  name: "wait",
  title: "Wait",
  description: "Wait until the call is cancelled.",
  deadlineMs: 600_000,
  output: z.object({ waited: z.boolean() }),
  async handler(_, { signal }) {
    mark("waiting");
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    mark("cancelled");
    return ok({ waited: true });
  },
});
serveStdio(server.app({ tools: [draw, wait] }));
