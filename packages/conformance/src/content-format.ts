import type { EnvelopeFormat, NoAnnotations } from "@toolpact/contract/internal";
import * as z from "zod";

export const contentBlocks = z.array(
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
    z.object({
      type: z.literal("resource"),
      resource: z.object({ uri: z.string(), mimeType: z.string(), text: z.string() }),
    }),
  ]),
);

/** No envelope: the suite requires a tool's content unchanged. */
export const contentFormat: EnvelopeFormat<NoAnnotations, never> = {
  name: "content",
  render: (outcome) => ({
    envelope: undefined,
    content: outcome.ok ? contentBlocks.parse(outcome.value) : [textBlock(outcome.failure.message)],
  }),
  noteCut: (envelope) => envelope,
  outputSchema: (blocks) => ({ type: "object", properties: { content: blocks } }),
};

type Block = z.infer<typeof contentBlocks>[number];

export function textBlock(text: string): Extract<Block, { type: "text" }> {
  return { type: "text", text };
}

export function resourceBlock(
  uri: string,
  mimeType: string,
  text: string,
): Extract<Block, { type: "resource" }> {
  return { type: "resource", resource: { uri, mimeType, text } };
}
