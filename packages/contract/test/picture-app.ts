import * as z from "zod";
import { type McpApp, ok, smallApp, smallTool } from "../src/index.ts";

const head = { effect: "none", openWorld: false, errors: [], input: z.strictObject({}) } as const;
const output = z.object({ width: z.number() });
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

const draw = smallTool({
  ...head,
  name: "draw",
  title: "Draw",
  description: "Draw a picture.",
  hasContent: true,
  output,
  handler: () => ok({ width: 2 }, { content: [image] }),
});
const measure = smallTool({
  ...head,
  name: "measure",
  title: "Measure",
  description: "Measure without a picture.",
  output,
  handler: () => ok({ width: 2 }),
});
const drawUnannounced = smallTool({
  ...head,
  name: "draw_unannounced",
  title: "Draw unannounced",
  description: "Draw a picture without declaring it.",
  output,
  handler: () => ok({ width: 2 }, { content: [image] }),
});

/** Tools that answer with a picture and without one. */
export function pictureApp(): McpApp {
  return smallApp({
    name: "pictures",
    version: "1.0.0",
    instructions: "Draws.",
    tools: [draw, measure, drawUnannounced],
  });
}
