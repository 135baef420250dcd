import { ok } from "@toolpact/contract";
import type { CallInput, OperationId, XAnswer } from "@toolpact/x-api";
import * as z from "zod";
import { xErrors } from "../../errors.ts";
import type { ToolFacts, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { writeUp } from "../../profiles.ts";
import { askX } from "../../x/toolkit/ask-x.ts";
import { defineTool } from "../product.ts";

/** What is particular to a tool of the app rather than of the account: X takes only its bearer token for it. */
interface AppRow<Shape extends z.ZodRawShape, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: "none" | "create" | "delete";
  readonly operation: OperationId;
  readonly params: Shape;
  /** Where X wants the arguments. */
  readonly place: (input: z.output<z.ZodObject<Shape>>) => CallInput;
  readonly output: Output;
  /** Beside the operation. */
  readonly facts?: ToolFacts;
  readonly answer: (answer: XAnswer, input: z.output<z.ZodObject<Shape>>) => z.input<Output>;
}

export function xApp<Shape extends z.ZodRawShape, Output extends z.ZodType>(
  row: AppRow<Shape, Output>,
): TuitbotTool {
  const { name, title, description, effect, operation, params, output } = row;
  return defineTool({
    name,
    title,
    description,
    category: "compliance",
    effect,
    openWorld: true,
    profiles: writeUp,
    needs: ["x"],
    errors: xErrors,
    facts: { operations: [operation], ...row.facts },
    goOn: "Ask for less.",
    input: z.strictObject(params),
    output,
    handler: async (input, { x, signal }) => {
      // The schema was made of this very shape.
      const given = input as z.output<z.ZodObject<Shape>>;
      const answer = await askX<unknown>(x.client, operation, { ...row.place(given), signal });
      if (!answer.ok) return answer;
      const shaped = row.answer(answer.value, given);
      const { pagination } = answer.value;
      return pagination === undefined ? ok(shaped) : ok(shaped, { pagination });
    },
  });
}
