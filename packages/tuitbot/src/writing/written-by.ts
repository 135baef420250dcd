import * as z from "zod";
import type { Writer } from "./llm.ts";

/** Part of every answer that holds a generated text. */
export const writtenByShape = {
  written_by: z.string().describe("provider/model"),
  stand_in: z.boolean().describe("Made up from a table for the sandbox; no model was asked"),
};

export function writtenBy(writer: Writer) {
  return { written_by: writerName(writer), stand_in: writer.isStandIn };
}

export function writerName({ provider, model }: Writer): string {
  return `${provider}/${model}`;
}
