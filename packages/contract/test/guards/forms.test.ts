import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type GuardStorage, openSqlite, openSqlStorage, protect } from "../../src/guards/index.ts";
import { defineErrors, defineServer, ok } from "../../src/index.ts";
import { FakeClock, type PersonAnswer, scriptedPerson } from "../../src/testing/index.ts";
import { servedToCallers } from "./as-caller.ts";

const errors = defineErrors({});

let storage: GuardStorage;
const clock = new FakeClock();

beforeEach(async () => {
  const key = new Uint8Array(32).fill(1);
  storage = await openSqlStorage(await openSqlite(":memory:"), { scope: "letters", key });
});
afterEach(() => storage.close());

async function asked(era: "modern" | "legacy", answer: PersonAnswer) {
  let sent = 0;
  const server = defineServer({
    name: "letters",
    version: "1.0.0",
    errors,
    guardStorage: () => storage,
    protect: protect({
      errors,
      codes: { retry: "busy", refused: "denied" },
      approval: { inClient: { allowsAgent: false, trustsHttp: () => true } },
    }),
  });
  const send = server.tool({
    name: "send",
    description: "Send a letter.",
    effect: "create",
    input: z.strictObject({}),
    output: z.object({ sent: z.number() }),
    handler: async () => ok({ sent: ++sent }),
  });
  const onBug = ({ error }: { readonly error: unknown }) => expect.fail(String(error));
  const served = servedToCallers(server.app({ tools: [send], clock, onBug }));
  const person = scriptedPerson([answer]);
  const schemas: object[] = [];
  const client = await served.as({
    name: "ana",
    era,
    reply(asked) {
      if (asked.requestedSchema === undefined) return expect.fail("It is not a form.");
      schemas.push(asked.requestedSchema);
      return person.reply(asked);
    },
  });
  // A client or server that rejects an answer outside the form throws.
  const answered = await client.callTool({ name: "send", arguments: {} }).then(
    ({ structuredContent }) => structuredContent,
    (error: Error) => error,
  );
  await client.close();
  await served.close();
  const [item] = await storage.items("waiting", clock.now());
  return { answered, item, schemas, sent };
}

describe.each(["modern", "legacy"] as const)("a form of a %s client", (era) => {
  test("offers No first, selects nothing, and needs an answer", async () => {
    const { answered, schemas, sent } = await asked(era, { form: { approve: "yes" } });
    const approve = {
      type: "string",
      title: "Approve?",
      oneOf: [
        { const: "no", title: "No, leave it waiting" },
        { const: "yes", title: "Yes, send it" },
      ],
    };
    expect(schemas).toMatchObject([{ type: "object", required: ["approve"] }]);
    expect(schemas[0]).toHaveProperty("properties", { approve });
    expect(answered).toMatchObject({ success: true });
    expect(sent).toBe(1);
  });

  test.each<PersonAnswer>([
    { form: { approve: true } },
    { form: { approve: "true" } },
    { form: { approve: "Yes, send it" } },
    { form: { approve: "no" } },
    { form: { approve: "" } },
    { form: {} },
    "cancel",
    "no",
  ])("sends nothing and leaves the call waiting after %o", async (answer) => {
    const { answered, item, schemas, sent } = await asked(era, answer);
    expect(schemas).toHaveLength(1);
    expect(sent).toBe(0);
    expect(item).toMatchObject({ tool: "send", status: "waiting" });
    if (answered instanceof Error) expect(answer).toHaveProperty("form");
    else expect(answered).toMatchObject({ error: { reason: "waiting", details: { item_id: item?.id } } });
  });

  test("is approved by the testing kit's yes", async () => {
    expect((await asked(era, "yes")).answered).toMatchObject({ success: true });
  });
});
