import { expect, test } from "vitest";
import * as z from "zod";
import { openSqlite, openSqlStorage, protect, sendRecorded } from "./guards/index.ts";
import { defineErrors, defineServer, guard, ok } from "./index.ts";
import { connect } from "./testing/index.ts";

const nothing = { input: z.strictObject({}), output: z.object({ done: z.string() }) };

test("a server with a name, a version and one tool answers, fails with its codes and rejects a repeated call", async () => {
  const server = defineServer({ name: "small", version: "1.0.0" });
  const add = server.tool({
    name: "add_line",
    description: "Add a line.",
    effect: "create",
    errors: ["not_found"],
    input: z.strictObject({ text: z.string().describe("A line") }),
    output: z.object({ text: z.string() }),
    handler: ({ text }) => (text === "" ? server.errors.fail("not_found", "No text.") : ok({ text })),
  });
  const app = server.app({ tools: [add] });
  expect(app.surface.tools[0]).toMatchObject({ title: "Add line", annotations: { openWorldHint: true } });
  await using client = await connect(app);
  expect((await client.call("add_line", { text: "a" })).data).toEqual({ text: "a" });
  expect((await client.call("add_line", { text: "a" })).error).toMatchObject({ code: "duplicate" });
  expect((await client.call("add_line", { text: "" })).error).toMatchObject({ code: "not_found" });
});

test("services get the context of the guards, in their order, and a missing service fails with its own code", async () => {
  const user = guard<{ adds: { readonly user: string } }>({
    name: "user",
    codes: () => [],
    run: (_call, next) => next({ context: { user: "ada" } }),
  });
  const greeting = guard<{ requires: { readonly user: string }; adds: { readonly hello: string } }>({
    name: "greeting",
    codes: () => [],
    run: (call, next) => next({ context: { hello: `Hello ${call.context.user}` } }),
  });
  const errors = defineErrors({
    closed: { category: "shop", retryable: true, meaning: "The shop is closed" },
  });
  const server = defineServer({
    name: "shop",
    version: "1.0.0",
    errors,
    guards: [user, greeting],
    services: {
      letters: ({ user, hello }) => ok(`${hello}, dear ${user}`),
      till: () => errors.fail("closed", "It is Sunday."),
    },
  });
  const head = { description: "Use a service.", effect: "none", ...nothing } as const;
  const tools = [
    server.tool({
      ...head,
      name: "write",
      needs: ["letters"],
      handler: (_, { letters }) => ok({ done: letters }),
    }),
    server.tool({ ...head, name: "pay", needs: ["till"], handler: () => ok({ done: "" }) }),
  ];
  await using client = await connect(server.app({ tools }));
  expect((await client.call("write", {})).data).toEqual({ done: "Hello ada, dear ada" });
  expect((await client.call("pay", {})).error).toMatchObject({ code: "closed", retryable: true });
});

test("a tool of another server and a guard with an unknown code are rejected when the app is built", () => {
  const rich = defineServer({ name: "rich", version: "1", services: { gold: () => ok(1) } });
  const head = { name: "spend", description: "Spend it.", effect: "none", ...nothing } as const;
  const spend = rich.tool({ ...head, needs: ["gold"], handler: () => ok({ done: "" }) });
  const poor = defineServer({ name: "poor", version: "1" });
  expect(() => poor.app({ tools: [spend] })).toThrow("spend needs the service gold");
  const odd = guard({ name: "odd", codes: () => ["no_such_code"], run: (_call, next) => next() });
  // @ts-expect-error the server has no such code
  const guarded = defineServer({ name: "odd", version: "1", guards: [odd] });
  const tool = guarded.tool({ ...head, handler: () => ok({ done: "" }) });
  expect(() => guarded.app({ tools: [tool] })).toThrow("no_such_code, which is not in the server's errors");
});

test("resources, prompts and a tool with actions belong to the same server", async () => {
  const notes = ["one", "two"];
  const server = defineServer({ name: "all", version: "1", services: { notes: () => ok(notes) } });
  const edit = server.actionTool({
    name: "edit",
    description: "Edit notes.",
    needs: ["notes"],
    actions: (action) => ({
      add: action({
        description: "Add one.",
        effect: "create",
        input: z.strictObject({ text: z.string().describe("A line") }),
        output: z.object({ count: z.number() }),
        handler: ({ text }, { notes }) => ok({ count: notes.push(text) }),
      }),
    }),
  });
  const all = server.resource({
    uri: "notes://all",
    name: "notes",
    title: "Notes",
    description: "All notes.",
    mimeType: "text/plain",
    needs: ["notes"],
    read: async (_request, { notes }) => ok({ text: notes.join("\n") }),
  });
  const app = server.app({
    tools: [edit],
    resources: [all],
    prompts: [{ name: "tidy", title: "Tidy", description: "Tidy up.", arguments: [], messages: () => [] }],
  });
  await using client = await connect(app);
  expect((await client.call("edit", { action: "add", text: "three" })).data).toEqual({ count: 3 });
  const { contents } = await client.client.readResource({ uri: "notes://all" });
  expect(contents[0]).toMatchObject({ text: "one\ntwo\nthree" });
  expect((await client.client.listPrompts()).prompts).toMatchObject([{ name: "tidy" }]);
});

test("protect runs after the other guards, opens its storage with the first call, and gives services a journal", async () => {
  const errors = defineErrors({});
  let opened = 0;
  const sent: string[] = [];
  const server = defineServer({
    name: "letters",
    version: "1",
    errors,
    services: {
      post: ({ journal }) =>
        ok({
          send: (text: string) =>
            sendRecorded(journal, { method: "POST", target: "/letters", bodyText: text }, async () => {
              sent.push(text);
              return { status: 200, text: "{}" };
            }),
        }),
    },
    protect: protect({
      errors,
      codes: { retry: "busy", refused: "denied" },
      once: { requests: () => 1 },
      limits: () => [{ max: 1, periodMs: 60_000 }],
    }),
    guardStorage: async () => {
      opened++;
      const key = new Uint8Array(32).fill(1);
      return openSqlStorage(await openSqlite(":memory:"), { scope: "letters", key });
    },
  });
  const send = server.tool({
    name: "send_letter",
    description: "Send a letter.",
    effect: "send",
    needs: ["post"],
    errors: ["busy"],
    input: z.strictObject({ text: z.string().describe("The letter") }),
    output: z.object({ sent: z.boolean() }),
    handler: async ({ text }, { post }) => ok({ sent: (await post.send(text)).ok }),
  });
  const app = server.app({ tools: [send] });
  expect(opened).toBe(0);
  await using client = await connect(app);
  expect((await client.call("send_letter", { text: "a" })).data).toEqual({ sent: true });
  expect((await client.call("send_letter", { text: "b" })).error).toMatchObject({
    code: "busy",
    retryable: true,
  });
  expect(opened).toBe(1);
  expect(sent).toEqual(["a"]);
});

test("a service without protect gets a journal that records nothing", async () => {
  const server = defineServer({
    name: "letters",
    version: "1",
    services: {
      isAllowed: async ({ journal }) => ok((await journal.beforeSend({ method: "GET", target: "/" })).ok),
    },
  });
  const head = { name: "look", description: "Look.", effect: "none", ...nothing } as const;
  const look = server.tool({
    ...head,
    needs: ["isAllowed"],
    handler: (_, { isAllowed }) => ok({ done: String(isAllowed) }),
  });
  await using client = await connect(server.app({ tools: [look] }));
  expect((await client.call("look", {})).data).toEqual({ done: "true" });
});

test.for(["modern", "legacy"] as const)(
  "withSdkServer reaches the SDK's server of each connection (%s client)",
  async (era) => {
    const server = defineServer({ name: "extended", version: "1" });
    const head = { name: "look", description: "Look.", effect: "none", ...nothing } as const;
    const look = server.tool({ ...head, handler: () => ok({ done: "" }) });
    const app = server.app({
      tools: [look],
      withSdkServer: (sdk) => {
        sdk.setRequestHandler("tools/list", () => ({ tools: [], ttlMs: 1, cacheScope: "public" as const }));
      },
    });
    await using client = await connect(app, { era });
    expect((await client.client.listTools()).tools).toEqual([]);
    expect((await client.call("look", {})).data).toEqual({ done: "" });
  },
);
