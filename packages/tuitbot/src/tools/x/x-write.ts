import { type Effect, ok } from "@toolpact/contract";
import type { CallInput, OperationId } from "@toolpact/x-api";
import * as z from "zod";
import { xErrors } from "../../errors.ts";
import type { CallPlan, ToolFacts, TuitbotTool } from "../../guards/call/tool-facts.ts";
import type { Profile } from "../../profiles.ts";
import { objectIn, type XObject } from "../../x/shapes/x-object.ts";
import { askX } from "../../x/toolkit/ask-x.ts";
import { defineTool } from "../product.ts";
import { withIds } from "./x-read.ts";

interface WriteRow<Shape extends z.ZodRawShape, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchWords: string;
  readonly category: "list" | "moderation" | "direct_message";
  readonly effect: Exclude<Effect, "none">;
  readonly profiles: readonly Profile[];
  readonly operation: OperationId;
  readonly params: Shape;
  /** They name people, and become ids. */
  readonly people?: readonly (keyof Shape & string)[];
  readonly place: (input: z.output<z.ZodObject<Shape>>) => CallInput;
  readonly output: Output;
  /** Besides the operation. */
  readonly facts?: ToolFacts;
  readonly plan?: (input: z.output<z.ZodObject<Shape>>) => CallPlan;
  readonly answer: (data: XObject, input: z.output<z.ZodObject<Shape>>) => z.input<Output>;
}

export function xWrite<Shape extends z.ZodRawShape, Output extends z.ZodType>(
  row: WriteRow<Shape, Output>,
): TuitbotTool {
  const {
    name,
    title,
    description,
    searchWords,
    category,
    effect,
    profiles,
    operation,
    params,
    output,
    answer,
  } = row;
  return defineTool({
    name,
    title,
    description,
    searchWords,
    category,
    effect,
    profiles,
    openWorld: true,
    needs: ["x"],
    errors: xErrors,
    facts: { operations: [operation], ...row.facts },
    ...(row.plan && { plan: row.plan }),
    input: z.strictObject(params),
    output,
    handler: async (input, { x, signal }) => {
      const named = await withIds(row.people, input, x, signal);
      if (!named.ok) return named;
      // Made of this shape, and people stay texts.
      const given = named.value as z.output<z.ZodObject<Shape>>;
      const done = await askX<unknown>(x.client, operation, { ...row.place(given), signal });
      return done.ok ? ok(answer(objectIn(done.value.data), given)) : done;
    },
  });
}
