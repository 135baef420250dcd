import { Sandbox } from "@toolpact/x-sandbox";
import { expect, onTestFinished, test } from "vitest";
import { connectingClient } from "./connecting-client.ts";
import { realPostgres } from "./postgres/real-postgres.ts";
import { newSchema } from "./postgres/server.ts";
import { signedInEnv } from "./signed-in-env.ts";
import { ownerBrowser } from "./web/owner-browser.ts";
import { newHome, type Served, serve, tuitbot } from "./web/served.ts";

const postgres = realPostgres.ok ? realPostgres.server.url : undefined;
const engines = [
  ["SQLite", async () => ({})],
  ...(postgres === undefined
    ? []
    : [["PostgreSQL", async () => ({ TUITBOT_STORAGE__URL: await newSchema(postgres) })] as const]),
] as const;

test.each(engines)(
  "a client that an owner signed in calls within its limits, until `agents revoke` ends its calls and streams (%s)",
  async (_engine, storage) => {
    const { home, remove } = newHome();
    const sandbox = new Sandbox({ plan: "enterprise", size: { people: 8, posts: 10 }, start: Date.now() });
    onTestFinished(() => sandbox.close());
    const env = { ...(await signedInEnv(home, sandbox)), ...(await storage()) };
    const served = await serve(home, { words: ["serve", "--port", "0"], env });
    onTestFinished(async () => {
      await served.stop();
      remove();
    });
    expect(served.printed).toContain(`codex mcp add tuitbot --url ${served.url}mcp`);
    const browser = await ownerBrowser(served);
    const made = await connectingClient(served.url, {
      name: "Notebook",
      open: (authorize) =>
        browser.connect(authorize, {
          ...{ accounts: ["default"], profile: "api-readonly", calls_per_day: 2, usd_per_day: 0.5 },
        }),
    });
    onTestFinished(made.close);
    const client = await made.connect();
    onTestFinished(() => client.close());
    const read = () => client.callTool({ name: "x_get_me", arguments: {} });
    const answers = [await read(), await read(), await read()];
    expect(answers.map(({ structuredContent }) => Object(structuredContent).success)).toEqual([
      true,
      true,
      false,
    ]);
    const listed = JSON.parse(await tuitbot(home, ["agents", "list", "--output", "json"], env));
    expect(listed.agents).toMatchObject([
      { name: "notebook", profile: "api-readonly", client: { name: "Notebook" }, is_active: true },
    ]);
    const stream = await openStream(served, made.accessToken());
    await tuitbot(home, ["agents", "revoke", "notebook"], env);
    // Reads until the server ends it.
    await stream.text();
    await expect(read()).rejects.toThrow();
  },
  120_000,
);

/** The stream of notifications of a new session. */
async function openStream({ url }: Served, token: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const begun = await fetch(`${url}mcp`, { method: "POST", headers, body });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const stream = await fetch(`${url}mcp`, { headers: { ...headers, "mcp-session-id": session } });
  expect(stream.status).toBe(200);
  return stream;
}
