import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors } from "../../errors.ts";
import { EFFECTS, followingCause } from "../../graph/what-happens.ts";
import { count as amount, list, text } from "../../shapes.ts";
import { count, type ToolAnswer } from "../product.ts";
import type { GraphWork } from "./graph-actions.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";

export const happensInput = z.strictObject({
  when: text
    .min(1)
    .max(200)
    .describe("Signal: body_entered, Coin.body_entered; action: action:jump; method: _ready()"),
  ...pageInput,
});

export const happened = z.strictObject({
  when: text,
  steps: list(
    z.strictObject({
      depth: amount,
      kind: z.enum(EFFECTS),
      path: text,
      line: amount,
      in: text,
      text,
    }),
  ),
  ...pageShape,
});

/** Everything that a signal, an input or a call triggers, across scripts and scenes. */
export function whatHappens(
  { workspace }: GraphWork,
  { when, ...page }: z.infer<typeof happensInput>,
): Promise<ToolAnswer<z.infer<typeof happened>, "E_NOT_FOUND">> {
  const cause = causeOf(when);
  return workspace.index.use(function* (graph): Generator<
    void,
    ToolAnswer<z.infer<typeof happened>, "E_NOT_FOUND">
  > {
    const steps = yield* followingCause(graph, cause);
    if (steps.length === 0)
      return errors.fail("E_NOT_FOUND", `Nothing in this project follows ${cause.kind} "${cause.name}".`, {
        suggestedFix: "Look for its name with godot_understand search.",
      });
    const { items, ...more } = pageOf(steps, page);
    const handlers = steps.filter(({ kind }) => kind === "handler").length;
    const files = new Set(steps.map(({ path }) => path)).size;
    return ok(
      { when, steps: items, ...more },
      {
        summary: `${count(handlers, "handler")}, ${count(steps.length - handlers, "step")} in ${count(files, "file")}.`,
        execution: { mode: "files" },
        warnings: [WARNING],
      },
    );
  });
}

/** Types of variables are not known from the text alone. */
const WARNING = "A call on another object is followed to every method of that name.";

function causeOf(when: string) {
  const method = /^(\w+)\(\)$/.exec(when)?.[1];
  if (method !== undefined) return { kind: "method", name: method } as const;
  const action = /^action:(.+)$/.exec(when)?.[1];
  if (action !== undefined) return { kind: "action", name: action.trim() } as const;
  const [, node, name = when] = /^(?:(.+)\.)?(\w+)$/.exec(when) ?? [];
  return { kind: "signal", name, node } as const;
}
