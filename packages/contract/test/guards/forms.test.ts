import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type GuardStorage, openSqlite, openSqlStorage, protect } from "../../src/guards/index.ts";
import { defineErrors, ok, type SuccessNotes } from "../../src/index.ts";
import { defineProduct, oneStackApp, successEnvelope } from "../../src/internal.ts";
import { createHttpHandler } from "../../src/mcp/http-handler.ts";
import { LOCAL_URL, localRequest } from "../../src/testing/connect.ts";
import { FakeClock, type PersonAnswer, scriptedPerson } from "../../src/testing/index.ts";

const errors = defineErrors({});
const product = defineProduct<{ notes: SuccessNotes }>()({
  errors,
  categories: ["letters"],
  profiles: ["all"],
  services: {},
});

let storage: GuardStorage;
const clock = new FakeClock();

beforeEach(async () => {
  const key = new Uint8Array(32).fill(1);
  storage = await openSqlStorage(await openSqlite(":memory:"), { scope: "letters", key });
});
afterEach(() => storage.close());

/** A server whose tool needs a person, and a client with a person who gives this one answer. */
async function asked(era: "modern" | "legacy", answer: PersonAnswer) {
  let sent = 0;
  const send = product.defineTool({
    name: "send",
    title: "Send a letter",
    description: "Send a letter.",
    category: "letters",
    profiles: ["all"],
    needs: [],
    errors: [],
    effect: "create",
    openWorld: true,
    input: z.strictObject({}),
    output: z.object({ sent: z.number() }),
    handler: async () => ok({ sent: ++sent }),
  });
  const stack = product
    .guardStack("all")
    .use(
      protect({
        errors,
        codes: { retry: "busy", refused: "denied" },
        approval: { inClient: { allowsAgent: false, trustsHttp: () => true } },
      }),
    )
    .answering(successEnvelope(errors))
    .bind({ clock, guardStorage: storage });
  const app = oneStackApp({
    name: "letters",
    version: "1.0.0",
    instructions: "",
    product,
    stack,
    services: {},
    tools: [send],
    onBug: ({ error }) => expect.fail(String(error)),
  });
  const person = scriptedPerson([answer]);
  const schemas: object[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      capabilities: { elicitation: { form: {} } },
    },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (!("requestedSchema" in params)) return expect.fail("It is not a form.");
    schemas.push(params.requestedSchema);
    return person.reply(params);
  });
  const handler = createHttpHandler(app, { identify: async (id) => ({ id }) });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(localRequest(url, init));
  const requestInit = { headers: { authorization: "Bearer ana" } };
  await client.connect(new StreamableHTTPClientTransport(new URL(LOCAL_URL), { fetch, requestInit }));
  // A client or server that refuses an answer which is not of the form throws.
  const answered = await client.callTool({ name: "send", arguments: {} }).then(
    ({ structuredContent }) => structuredContent,
    (error: Error) => error,
  );
  await client.close();
  await handler.close();
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
