import * as z from "zod";
import { defineServer, type McpApp, ok } from "../src/index.ts";

const server = defineServer({ name: "pictures", version: "1.0.0", instructions: "Draws." });

const head = { effect: "none", openWorld: false, errors: [], input: z.strictObject({}) } as const;
const output = z.object({ width: z.number() });
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

const draw = server.tool({
  ...head,
  name: "draw",
  title: "Draw",
  description: "Draw a picture.",
  hasContent: true,
  output,
  handler: () => ok({ width: 2 }, { content: [image] }),
});
const measure = server.tool({
  ...head,
  name: "measure",
  title: "Measure",
  description: "Measure without a picture.",
  output,
  handler: () => ok({ width: 2 }),
});
const drawUnannounced = server.tool({
  ...head,
  name: "draw_unannounced",
  title: "Draw unannounced",
  description: "Draw a picture without declaring it.",
  output,
  handler: () => ok({ width: 2 }, { content: [image] }),
});

export function pictureApp(): McpApp {
  return server.app({ tools: [draw, measure, drawUnannounced] });
}
