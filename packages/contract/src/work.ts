import type * as z from "zod";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome, ParsedCall, RunTools, Work } from "./tool.ts";

/** Thrown when a tool's answer does not fit its own output schema: a bug of the tool. */
export class OutputMismatch extends Error {
  override readonly name = "OutputMismatch";
}

/** Binds arguments that fit to the function that takes them, and its answer to the declared output. */
export function bindWork<Services, Code extends string, Notes, I extends z.ZodObject, O extends z.ZodType>(
  work: Work<Services, Code, Notes, I, O>,
  action: string | undefined,
  input: z.output<I>,
): ParsedCall {
  return {
    action,
    effect: work.effect,
    // JSON, but for what a schema may have made of it: a date or an address, which digests and logs can write.
    input: input as JsonObject,
    async run(context: RunTools & object): Promise<AnyOutcome> {
      // The pipeline resolves exactly the services that the declaration names in `needs`.
      const outcome = await work.run(input, context as Services & RunTools);
      if (!outcome.ok) return outcome;
      const checked = work.output.safeParse(outcome.value);
      if (!checked.success) throw new OutputMismatch(checked.error.message);
      return { ...outcome, value: checked.data } as AnyOutcome;
    },
  };
}
