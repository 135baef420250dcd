import * as z from "zod";
import { type Clock, failed, guard, ok, type SuccessNotes, systemClock } from "../src/index.ts";
import { defineProduct, type OkNotes, okEnvelope, successEnvelope } from "../src/internal.ts";
import { errors, product, type Store } from "./notes-product.ts";

// Read by the compiler only: every `@ts-expect-error` below is an error that a declaration must have.

const sound = {
  name: "sound",
  title: "Sound",
  description: "A declaration with nothing wrong.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["full"],
  needs: ["store"],
  errors: ["not_found"],
  input: z.strictObject({ id: z.string() }),
  output: z.object({ text: z.string() }),
} as const;

product.defineTool({ ...sound, handler: ({ id }, { store }) => ok({ text: store.notes.get(id) ?? "" }) });
product.defineTool({ ...sound, handler: () => errors.fail("not_found", "No.") });

// @ts-expect-error run fails with a code that is not declared
product.defineTool({ ...sound, handler: () => errors.fail("denied", "No.") });

// @ts-expect-error whether a call may be retried follows from the code
errors.fail("not_found", "No.", { retryable: false });

// @ts-expect-error not through a spread either, which hides surplus members from the compiler
errors.fail("not_found", "No.", { ...{ retryable: false } });

const byHand = () => failed({ code: "not_found", message: "No.", retryable: true });
// @ts-expect-error nor in a failure that is built by hand
product.defineTool({ ...sound, handler: byHand });

product.defineTool({
  ...sound,
  needs: [],
  // @ts-expect-error run uses a service that is not declared
  handler: (_input, { store }) => ok({ text: String(store) }),
});

// @ts-expect-error there is no such service
product.defineTool({ ...sound, needs: ["database"], handler: () => ok({ text: "" }) });

// @ts-expect-error there is no such code
product.defineTool({ ...sound, errors: ["no_such_code"], handler: () => ok({ text: "" }) });

// @ts-expect-error there is no such category
product.defineTool({ ...sound, category: "reed", handler: () => ok({ text: "" }) });

// @ts-expect-error there is no such profile
product.defineTool({ ...sound, profiles: ["everything"], handler: () => ok({ text: "" }) });

const { openWorld: _openWorld, ...closedToHints } = sound;
// @ts-expect-error the open-world hint is missing
product.defineTool({ ...closedToHints, handler: () => ok({ text: "" }) });

const { effect: _effect, ...withoutEffect } = sound;
// @ts-expect-error the effect is missing, from which the other three hints follow
product.defineTool({ ...withoutEffect, handler: () => ok({ text: "" }) });

// @ts-expect-error the answer does not fit the declared output
product.defineTool({ ...sound, handler: () => ok({ txt: "" }) });

// @ts-expect-error the notes are not those of this product's envelope format
product.defineTool({ ...sound, handler: () => ok({ text: "" }, { summary: "done" }) });

errors.fail("duplicate", "Twice.", { reason: "duplicate_request" });
// @ts-expect-error a reason outside the code's closed list
errors.fail("duplicate", "Twice.", { reason: "because" });
// @ts-expect-error whether a failure may be retried is read from its code and can be set nowhere
errors.fail("not_found", "No.", { retryable: true });

interface Account {
  readonly id: string;
}
interface Plan {
  readonly posts: number;
}
const posting = defineProduct<{
  notes: SuccessNotes;
  facts: { readonly local: boolean };
  plan: Plan;
  context: { readonly account?: Account };
  annotations: { readonly cost: number; readonly mode?: never };
}>()({ errors, categories: ["read"], profiles: ["full"], services: {} });

const post = { ...sound, needs: [], facts: { local: false }, handler: () => ok({ text: "" }) } as const;
posting.defineTool({ ...post, plan: ({ id }) => ({ posts: id.length }) });
// @ts-expect-error the facts of this product are missing
posting.defineTool({ ...post, facts: undefined });
// @ts-expect-error the plan is not a plan of this product
posting.defineTool({ ...post, plan: () => ({ likes: 1 }) });
// @ts-expect-error the plan reads an argument that the input does not have
posting.defineTool({ ...post, plan: ({ text }) => ({ posts: text.length }) });

const account = posting.guard<{ dependencies: { sessions: () => Account }; adds: { account: Account } }>({
  name: "account",
  codes: (tool) => (tool.facts.local ? [] : ["denied"]),
  run: (_call, next, { sessions }) => next({ context: { account: sessions() } }),
});
const receipt = posting.guard<{ dependencies: { clock: Clock }; requires: { account: Account } }>({
  name: "receipt",
  codes: () => ["denied"],
  run: (call, next, { clock }) => {
    call.annotate({ cost: (call.plan()?.posts ?? 0) * clock.now() + call.context.account.id.length });
    return next();
  },
});
posting.guard<{ adds: { account: Account } }>({
  name: "forgetful",
  codes: () => [],
  // @ts-expect-error a guard that says it adds context goes on without it
  run: (_call, next) => next(),
});
posting.guard({
  name: "chatty",
  codes: () => [],
  run: (call, next) => {
    // @ts-expect-error guards of this product may not annotate `mode`
    call.annotate({ cost: 1, mode: "autopilot" });
    return next();
  },
});
guard({
  name: "of any product",
  codes: () => [],
  run: (call, next) => {
    // @ts-expect-error a guard for any product does not know what it may annotate
    call.annotate({ cost: 1 });
    return next();
  },
});

const posts = posting.guardStack("posts").use(account).use(receipt).answering(successEnvelope(errors));
posts.bind({ clock: systemClock, sessions: () => ({ id: "1" }) });
// @ts-expect-error a dependency of one of its guards is missing
posts.bind({ clock: systemClock });
// @ts-expect-error the receipt requires the account, which no guard before it adds
posting.guardStack("wrong order").use(receipt);
// @ts-expect-error the metadata of this format has no room for what the guards of this product annotate
posting.guardStack("wrong format").answering(okEnvelope(errors));

const { defineTool: defineOkTool, defineActionTool } = defineProduct<{
  services: { store: Store };
  notes: OkNotes;
}>()({
  errors,
  categories: ["read"],
  profiles: ["full"],
  services: { store: "store_error" },
});
defineOkTool({ ...sound, handler: () => ok({ text: "" }, { summary: "Done." }) });
// @ts-expect-error notes of this format have a summary
defineOkTool({ ...sound, handler: () => ok({ text: "" }, { logs: [] }) });

const { effect: _none, input: _input, output: _output, ...soundHead } = sound;
const anAction = { description: "", effect: "none", input: sound.input, output: sound.output } as const;
defineActionTool({
  ...soundHead,
  actions: (action) => ({
    fine: action({ ...anAction, handler: () => errors.fail("not_found", "No.") }),
    // @ts-expect-error an action fails with a code that its tool does not declare
    undeclared: action({ ...anAction, handler: () => errors.fail("denied", "No.") }),
    own: action({ ...anAction, errors: ["denied"], handler: () => errors.fail("denied", "No.") }),
    // @ts-expect-error an action with its own codes may fail with no others
    notOwn: action({ ...anAction, errors: ["denied"], handler: () => errors.fail("not_found", "No.") }),
    unknown: action({
      ...anAction,
      // @ts-expect-error there is no such code
      errors: ["no_such_code"],
      handler: () => ok({ text: "" }, { summary: "" }),
    }),
  }),
});
