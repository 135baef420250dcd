import { failed, ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { errors } from "../test/notes-product.ts";
import { guard } from "./call.ts";
import { type SuccessNotes, successEnvelope } from "./formats/success-envelope.ts";
import { deadline } from "./guards/deadline.ts";
import type { JsonObject } from "./json.ts";
import type { EndedCall } from "./observer.ts";
import { type CallRequest, createPipeline } from "./pipeline.ts";
import { catalog, defineProduct, provideServices } from "./product.ts";
import { FakeClock } from "./testing/fake-clock.ts";

interface Mailbox {
  readonly owner: string;
}
interface Context {
  readonly mailbox: Mailbox;
  readonly receipt: string;
  readonly release: number;
}

const product = defineProduct<{
  services: { outbox: { readonly send: (text: string) => string } };
  notes: SuccessNotes;
  facts: { readonly isFree: boolean };
  plan: { readonly letters: number };
  context: Context;
  annotations: { readonly cost?: number };
}>()({ errors, categories: ["write"], profiles: ["full"], services: { outbox: "store_error" } });

const sendLetter = product.defineTool({
  name: "send_letter",
  title: "Send",
  description: "Send a letter to some people.",
  category: "write",
  effect: "create",
  openWorld: true,
  profiles: ["full"],
  needs: ["outbox"],
  errors: [],
  facts: { isFree: false },
  input: z.strictObject({ to: z.array(z.string()).describe("Names") }),
  output: z.object({ sent: z.string() }),
  plan: ({ to }) => ({ letters: to.length }),
  handler: ({ to }, { outbox }) => ok({ sent: outbox.send(to.join()) }),
});

const mailbox = product.guard<{
  dependencies: { readonly owners: Readonly<Record<string, string>> };
  adds: { readonly mailbox: Mailbox };
}>({
  name: "mailbox",
  codes: () => ["denied"],
  async run(call, next, { owners }) {
    const owner = owners[call.caller.client ?? ""];
    if (owner === undefined) return failed({ code: "denied", message: "You have no mailbox." });
    return next({ context: { mailbox: { owner } } });
  },
});

const stamps = product.guard<{ requires: { readonly mailbox: Mailbox; readonly release?: number } }>({
  name: "stamps",
  codes: (tool) => (tool.facts.isFree ? [] : ["too_slow"]),
  async run(call, next) {
    const letters = call.plan()?.letters ?? 0;
    const allowed = call.context.release ?? 2;
    if (letters > allowed)
      return failed({ code: "too_slow", message: `${call.context.mailbox.owner} has ${allowed} stamps.` });
    call.annotate({ cost: letters });
    return next({ context: { receipt: `r-${call.context.mailbox.owner}` } });
  },
});

const posting = product.guardStack("posting").use(mailbox).use(stamps).answering(successEnvelope(errors));

function post(
  args: JsonObject,
  more: Partial<CallRequest<Partial<Context>>> = {},
  seen: EndedCall<
    { readonly isFree: boolean },
    { readonly letters: number },
    Partial<Context>,
    JsonObject
  >[] = [],
) {
  const stack = posting.bind({ owners: { ann: "Ann" } });
  const pipeline = createPipeline({
    catalog: catalog([sendLetter]),
    product,
    stackFor: () => stack,
    services: provideServices(product, {
      outbox: ({ mailbox, receipt }) =>
        ok({ send: (text) => `${text} from ${mailbox?.owner} with ${receipt}` }),
    }),
    observers: [{ name: "seen", ended: (call) => void seen.push(call) }],
    onBug: ({ error }) => {
      throw error;
    },
    clock: new FakeClock(),
  });
  return pipeline.call({
    tool: "send_letter",
    args,
    caller: { transport: "cli", client: "ann" },
    ...more,
  });
}

describe("a guard stack", () => {
  test("can be described without its dependencies", () => {
    expect(posting.guards).toEqual(["mailbox", "stamps"]);
    expect(posting.codesFor(sendLetter)).toEqual(["denied", "too_slow"]);
    expect(posting.codesFor({ ...sendLetter, facts: { isFree: true } })).toEqual(["denied"]);
  });

  test("passes context from guards to later guards and to services", async () => {
    expect(await post({ to: ["Bob"] })).toMatchObject({
      envelope: { data: { sent: "Bob from Ann with r-Ann" }, meta: { cost: 1 } },
    });
  });

  test("keeps contexts of concurrent calls separate", async () => {
    const answers = await Promise.all([
      post({ to: ["Bob"] }),
      post({ to: ["Bob"] }, { caller: { transport: "cli", client: "nobody" } }),
    ]);
    expect(answers).toMatchObject([{ failed: false }, { failed: true }]);
  });

  test("starts with the context of a call made by the product", async () => {
    const to = ["Bob", "Cid", "Dan"];
    expect(await post({ to })).toMatchObject({ envelope: { error: { code: "too_slow" } } });
    expect(await post({ to }, { context: { release: 3 } })).toMatchObject({ failed: false });
  });
});

describe("an observer", () => {
  test.each([
    ["the tool", ["Bob"], { ok: true }, { receipt: "r-Ann" }, { cost: 1 }],
    ["a guard", ["Bob", "Cid", "Dan"], { failure: { code: "too_slow" } }, { mailbox: { owner: "Ann" } }, {}],
  ])(
    "sees a call that %s answered, its plan and its context",
    async (_by, to, outcome, context, annotations) => {
      const seen: Parameters<typeof post>[2] = [];
      await post({ to }, {}, seen);
      expect(seen).toMatchObject([{ effect: "create", input: { to }, outcome, context, annotations }]);
      expect(seen?.[0]?.plan()).toEqual({ letters: to.length });
    },
  );

  test("sees bad arguments unchanged, and oversized ones not at all", async () => {
    const seen: Parameters<typeof post>[2] = [];
    await post({ to: "Bob" }, {}, seen);
    await post({ to: "x".repeat(1_000_001) }, {}, seen);
    const refused = { effect: undefined, outcome: { failure: { code: "invalid_input" } }, context: {} };
    expect(seen).toMatchObject([
      { ...refused, input: { to: "Bob" } },
      { ...refused, input: {} },
    ]);
    expect(seen?.[0]?.plan()).toBeUndefined();
  });

  test("that fails is a bug in the server, not a failure of the call", async () => {
    const bugs: string[] = [];
    const pipeline = createPipeline({
      catalog: catalog([sendLetter]),
      product,
      stackFor: () => posting.bind({ owners: { ann: "Ann" } }),
      services: provideServices(product, { outbox: () => ok({ send: (text) => text }) }),
      observers: [
        {
          name: "broken",
          ended: () => {
            throw new Error("no disk");
          },
        },
      ],
      onBug: ({ where, error }) => bugs.push(`${where}: ${error}`),
    });
    const caller = { transport: "cli", client: "ann" } as const;
    expect(await pipeline.call({ tool: "send_letter", args: { to: [] }, caller })).toMatchObject({
      failed: false,
    });
    expect(bugs).toEqual(["send_letter, observer broken: Error: no disk"]);
  });
});

describe("the codes of a guard", () => {
  const nonsense = async () => failed({ code: "nonsense", message: "No." });
  const foreign = guard({ name: "foreign", codes: () => ["nonsense"], run: nonsense });

  test("must be the product's: types, manifest and stack reject others", () => {
    // @ts-expect-error a code that is not declared
    product.guard({ name: "wrong", codes: () => ["nonsense"], run: (_call, next) => next({}) });
    // @ts-expect-error a failure that is not declared
    product.guard({ name: "wrong", codes: () => [], run: nonsense });
    // @ts-expect-error a guard with a code of another product
    const stack = product.guardStack("foreign").use(foreign);
    expect(() => stack.codesFor(sendLetter)).toThrow("foreign has the code nonsense");
    expect(product.guardStack("fine").use(deadline).codesFor(sendLetter)).toEqual(["too_slow"]);
  });

  test("that are not the product's are not sent: the answer reports a bug in the server", async () => {
    const bugs: unknown[] = [];
    const stack = product
      .guardStack("foreign")
      .use(foreign as unknown as typeof deadline)
      .answering(successEnvelope(errors))
      .bind({ clock: new FakeClock() });
    const pipeline = createPipeline({
      catalog: catalog([sendLetter]),
      product,
      stackFor: () => stack,
      services: provideServices(product, { outbox: () => ok({ send: (text) => text }) }),
      onBug: ({ error }) => bugs.push(String(error)),
    });
    const answer = await pipeline.call({
      tool: "send_letter",
      args: { to: [] },
      caller: { transport: "cli" },
    });
    expect(answer).toMatchObject({ outcome: { failure: { code: "internal" } } });
    expect(bugs).toEqual(["Error: The code nonsense is not one of the product's errors."]);
  });
});
