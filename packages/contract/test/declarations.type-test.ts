import * as z from "zod";
import { defineProduct, type Guard, lane, type OkNotes, ok, successEnvelope } from "../src/index.ts";
import { errors, product, type Store } from "./notes-product.ts";

// Read by the compiler only: every `@ts-expect-error` below is an error that a declaration must have.

const sound = {
  name: "sound",
  title: "Sound",
  describe: "A declaration with nothing wrong.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["full"],
  needs: ["store"],
  errors: ["not_found"],
  input: z.strictObject({ id: z.string() }),
  output: z.object({ text: z.string() }),
} as const;

product.defineTool({ ...sound, run: ({ id }, { store }) => ok({ text: store.notes.get(id) ?? "" }) });
product.defineTool({ ...sound, run: () => errors.fail("not_found", "No.") });

// @ts-expect-error run fails with a code that is not declared
product.defineTool({ ...sound, run: () => errors.fail("denied", "No.") });

product.defineTool({
  ...sound,
  needs: [],
  // @ts-expect-error run uses a service that is not declared
  run: (_input, { store }) => ok({ text: String(store) }),
});

// @ts-expect-error there is no such service
product.defineTool({ ...sound, needs: ["database"], run: () => ok({ text: "" }) });

// @ts-expect-error there is no such code
product.defineTool({ ...sound, errors: ["no_such_code"], run: () => ok({ text: "" }) });

// @ts-expect-error there is no such category
product.defineTool({ ...sound, category: "reed", run: () => ok({ text: "" }) });

// @ts-expect-error there is no such profile
product.defineTool({ ...sound, profiles: ["everything"], run: () => ok({ text: "" }) });

const { openWorld: _openWorld, ...closedToHints } = sound;
// @ts-expect-error the open-world hint is missing
product.defineTool({ ...closedToHints, run: () => ok({ text: "" }) });

const { effect: _effect, ...withoutEffect } = sound;
// @ts-expect-error the effect is missing, from which the other three hints follow
product.defineTool({ ...withoutEffect, run: () => ok({ text: "" }) });

// @ts-expect-error the answer does not fit the declared output
product.defineTool({ ...sound, run: () => ok({ txt: "" }) });

// @ts-expect-error the notes are not those of this product's dialect
product.defineTool({ ...sound, run: () => ok({ text: "" }, { summary: "done" }) });

errors.fail("duplicate", "Twice.", { reason: "duplicate_request" });
// @ts-expect-error a reason outside the code's closed list
errors.fail("duplicate", "Twice.", { reason: "because" });
// @ts-expect-error whether a failure may be retried is read from its code and can be set nowhere
errors.fail("not_found", "No.", { retryable: true });

const dialects = successEnvelope(errors);
const tellsMode: Guard<{ mode: string }> = {
  name: "tells mode",
  codes: [],
  around: (call, next) => {
    call.annotate({ mode: "autopilot" });
    return next();
  },
};
// @ts-expect-error a lane without workflow metadata cannot emit `mode`
lane({ name: "plain", guards: [tellsMode], dialect: dialects.timed });
// @ts-expect-error nor can a lane without timing
lane({ name: "bare", guards: [tellsMode], dialect: dialects.bare });

lane({
  name: "workflow",
  guards: [],
  dialect: dialects.workflow(() => ({ mode: "composer", approval_mode: true })),
});

const { defineTool: defineOkTool, defineActionTool } = defineProduct<{ store: Store }, OkNotes>()({
  errors,
  categories: ["read"],
  profiles: ["full"],
  services: { store: "store_error" },
});
defineOkTool({ ...sound, run: () => ok({ text: "" }, { summary: "Done." }) });
// @ts-expect-error notes of this dialect have a summary
defineOkTool({ ...sound, run: () => ok({ text: "" }, { logs: [] }) });

const { effect: _none, input: _input, output: _output, ...soundHead } = sound;
const anAction = { describe: "", effect: "none", input: sound.input, output: sound.output } as const;
defineActionTool({
  ...soundHead,
  actions: (action) => ({
    fine: action({ ...anAction, run: () => errors.fail("not_found", "No.") }),
    // @ts-expect-error an action fails with a code that its tool does not declare
    undeclared: action({ ...anAction, run: () => errors.fail("denied", "No.") }),
  }),
});
