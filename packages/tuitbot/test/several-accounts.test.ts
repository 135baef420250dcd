import type { Client } from "@modelcontextprotocol/client";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccountServer, OPERATOR, serveAccounts } from "./account-server.ts";
import { type Envelope, queuedItem } from "./live-server.ts";
import { onBothEngines } from "./postgres/both-engines.ts";

onBothEngines("one server for several accounts", ({ place }) => {
  const sandbox = new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, start: Date.now() });
  let server: AccountServer;
  let ofNews: Client;
  let ofShop: Client;
  let ofBoth: Client;

  beforeAll(async () => {
    const { url } = await place();
    server = await serveAccounts(
      {
        default: { sandbox },
        news: {
          sandbox,
          user: cast.friend,
          lines: [
            "approval_mode = false",
            "mcp_policy.enforce_for_mutations = false",
            "budget.max_usd_per_day = 0.05",
          ],
        },
        shop: { sandbox, user: cast.stranger, lines: ["approval_mode = true"] },
      },
      url === undefined ? {} : { TUITBOT_STORAGE__URL: url },
    );
    ofNews = await agent("of-news", ["news"]);
    ofShop = await agent("of-shop", ["shop", "no-such"], "legacy");
    ofBoth = await agent("of-both", ["news", "shop"]);
  }, 60_000);

  afterAll(async () => {
    await Promise.all([...tokens.keys()].map((client) => client.close()));
    await server?.close();
    await sandbox.close();
  });

  const tokens = new Map<Client, string>();

  async function agent(name: string, accounts: readonly string[], era?: "legacy" | "modern") {
    const token = await server.addAgent(name, accounts);
    const client = await server.connect(token, era);
    tokens.set(client, token);
    return client;
  }

  async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
    const { structuredContent } = await client.callTool({ name, arguments: args });
    // Every answer of this server is the envelope.
    return structuredContent as unknown as Envelope;
  }

  async function schemaOf(client: Client, tool: string) {
    const { tools } = await client.listTools();
    return tools.find(({ name }) => name === tool)?.inputSchema;
  }

  async function read(client: Client, uri: string): Promise<unknown> {
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "null");
  }

  const username = async (client: Client, args = {}) =>
    (await call(client, "x_get_me", args)).data as { readonly username?: string };

  test("an account is named in every tool by those who have several, and by nobody else", async () => {
    const operator = await server.connect(OPERATOR);
    for (const [client, names] of [
      [ofBoth, ["news", "shop"]],
      [operator, ["default", "news", "shop"]],
    ] as const) {
      const { tools } = await client.listTools();
      for (const { name, inputSchema } of tools)
        expect(inputSchema, name).toMatchObject({
          properties: { account: { type: "string", enum: names } },
          required: expect.arrayContaining(["account"]),
        });
    }
    for (const client of [ofNews, ofShop])
      expect((await schemaOf(client, "x_post_tweet"))?.properties).not.toHaveProperty("account");
    expect(await read(ofBoth, "tuitbot://accounts")).toEqual(["news", "shop"]);
    expect(await read(ofShop, "tuitbot://accounts")).toEqual(["shop"]);
    expect(ofBoth.getInstructions()).toContain("one of news, shop");
    await operator.close();
  });

  test("a call acts for the account of its principal, under that account's own rules", async () => {
    expect(await username(ofNews)).toMatchObject({ username: cast.friend });
    expect(await username(ofShop)).toMatchObject({ username: cast.stranger });
    expect(await username(ofBoth, { account: "news" })).toMatchObject({ username: cast.friend });
    expect(await username(ofBoth, { account: "shop" })).toMatchObject({ username: cast.stranger });
    expect(await call(ofNews, "x_post_tweet", { text: "News go out." })).toMatchObject({ success: true });
    const waits = await call(ofBoth, "x_post_tweet", { account: "shop", text: "The shop asks first." });
    expect(queuedItem(waits)).toBeGreaterThan(0);
    const posts = [...sandbox.world.posts.values()].filter(({ text }) => text === "News go out.");
    expect(posts.map(({ authorId }) => authorId)).toEqual([sandbox.person(cast.friend).id]);
    // The same text for another account is no repetition.
    expect(
      queuedItem(await call(ofBoth, "x_post_tweet", { account: "shop", text: "News go out." })),
    ).toBeGreaterThan(0);
  });

  test("an account that is missing, unknown or another's is refused in the same words", async () => {
    expect((await call(ofBoth, "x_get_me")).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("Yours: news, shop."),
    });
    const foreign = await call(ofBoth, "x_get_me", { account: "default" });
    const unknown = await call(ofBoth, "x_get_me", { account: "nowhere" });
    expect(foreign.error).toMatchObject({ code: "not_found", fix_by: "agent" });
    expect(JSON.stringify(unknown)).toBe(JSON.stringify(foreign).replace("default", "nowhere"));
    expect((await call(ofNews, "x_get_me", { account: "shop" })).error).toMatchObject({
      code: "invalid_input",
    });
    for (const name of ["default", "nowhere"])
      await expect(read(ofBoth, `tuitbot://accounts/${name}/drafts`)).rejects.toThrow(
        `You act for no account "${name}"`,
      );
  });

  test("resources, tasks and news of one account are not those of another", async () => {
    const draft = await call(ofNews, "create_draft", { texts: ["A draft of the news"] });
    expect(draft.success, JSON.stringify(draft)).toBe(true);
    expect(JSON.stringify(await read(ofNews, "tuitbot://drafts"))).toContain("A draft of the news");
    const addresses = (await ofBoth.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate);
    expect(addresses).toContain("tuitbot://accounts/{account}/drafts");
    expect((await ofBoth.listResources()).resources.map(({ uri }) => uri)).not.toContain("tuitbot://drafts");
    expect(JSON.stringify(await read(ofBoth, "tuitbot://accounts/news/drafts"))).toContain("of the news");
    expect(await read(ofBoth, "tuitbot://accounts/shop/drafts")).toEqual([]);
    await expect(read(ofShop, "tuitbot://accounts/news/drafts")).rejects.toThrow("You act for no account");

    const heard = { both: [] as string[], shop: [] as string[], news: [] as string[] };
    for (const [client, uris] of [
      [ofBoth, heard.both],
      [ofShop, heard.shop],
      [ofNews, heard.news],
    ] as const)
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        uris.push(params.uri);
      });
    await expect(
      ofNews.listen({ resourceSubscriptions: ["tuitbot://accounts/shop/approvals"] }),
    ).rejects.toThrow();
    await expect(ofShop.subscribeResource({ uri: "tuitbot://accounts/news/approvals" })).rejects.toThrow();
    await ofNews.listen({ resourceSubscriptions: ["tuitbot://accounts/news/approvals"] });
    await ofBoth.listen({ resourceSubscriptions: ["tuitbot://accounts/shop/approvals"] });
    await ofShop.subscribeResource({ uri: "tuitbot://accounts/shop/approvals" });
    await call(ofBoth, "x_post_tweet", { account: "shop", text: "Another of the shop." });
    for (const uris of [heard.both, heard.shop])
      await expect.poll(() => uris).toContain("tuitbot://accounts/shop/approvals");
    expect(heard.news.filter((uri) => uri.includes("shop"))).toEqual([]);

    const { result } = await ask(ofBoth, "tools/call", {
      name: "x_post_tweet",
      arguments: { account: "shop", text: "As a task." },
    });
    expect(result, JSON.stringify(result)).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^shop~/),
    });
    const { taskId } = result as { readonly taskId: string };
    expect(await ask(ofBoth, "tasks/get", { taskId })).toMatchObject({
      result: { taskId, status: "working" },
    });
    const moved = taskId.replace("shop~", "news~");
    for (const [client, id] of [
      [ofBoth, moved],
      [ofNews, taskId],
      [ofNews, moved],
    ] as const)
      expect(JSON.stringify((await ask(client, "tasks/get", { taskId: id })).error)).toContain("no task");
  });

  /** A request as it is, by the token of a client. */
  async function ask(client: Client, method: string, params: object) {
    const token = tokens.get(client) ?? "";
    const answer = await fetch(server.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": String(Object.values(params)[0]),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "tester", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {
              extensions: { "io.modelcontextprotocol/tasks": {} },
            },
          },
        },
      }),
    });
    const text = await answer.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
      readonly result?: unknown;
      readonly error?: unknown;
    };
  }
});
