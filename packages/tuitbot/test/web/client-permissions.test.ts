import { globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  authorization,
  newClient,
  redeem,
  refresh,
  revoke,
} from "../../../contract/test/oauth/oauth-client.ts";
import { post } from "../../../contract/test/raw-http.ts";
import { ownerBrowser } from "./owner-browser.ts";
import { newHome, type Served, serve, tuitbot } from "./served.ts";

const { home, remove } = newHome();
let served: Served;
let origin: string;
let owner: Awaited<ReturnType<typeof ownerBrowser>>;

beforeAll(async () => {
  served = await serve(home, { words: ["serve", "--sandbox", "--port", "0"] });
  origin = new URL(served.url).origin;
  owner = await ownerBrowser(served);
  // Commands find the sandbox of a server once it is announced.
  const announced = () => globSync(join(home, ".tuitbot/sandboxes/*/running.json"));
  await vi.waitFor(() => expect(announced()).toHaveLength(1), { timeout: 20_000 });
}, 60_000);

afterAll(async () => {
  await served?.stop();
  remove();
});

const LIMITS = { accounts: ["default"], calls_per_day: 50, usd_per_day: 0.5 };
const POST = { method: "tools/call", params: { name: "x_post_tweet", arguments: { text: "Hello" } } };

type TestClient = Awaited<ReturnType<typeof newClient>>;

/** Signs a client in with these permissions. */
async function signIn(client: TestClient, permissions: Partial<Parameters<typeof owner.allow>[1]> = {}) {
  const { url, verifier } = authorization(client);
  const back = await owner.allow(await owner.open(url), { ...LIMITS, profile: "readonly", ...permissions });
  const { body } = await redeem(client, { code: back.searchParams.get("code") ?? "", verifier });
  return { headers: { authorization: `Bearer ${body.access_token}` }, refresh: body.refresh_token };
}

async function statusOf(headers: Record<string, string>): Promise<number> {
  return (await post(`${origin}/mcp`, { headers })).status;
}

test("a new client is proposed for reads, whatever scope it asks for", async () => {
  const client = await newClient(origin, { client_name: "Greedy" });
  const request = await owner.open(authorization(client, { scope: "mcp write admin" }).url);
  expect(await owner.command("client_request", { request })).toMatchObject({
    accounts: [{ name: "default", username: expect.stringMatching(/^\w+$/) }],
    client: { name: "Greedy", host: "127.0.0.1:3118", is_on_device: true, verified_by: null },
    agents: [],
    proposed: { profile: "readonly" },
  });
});

test("a tool outside the profile asks for its scope, and the same client is then proposed for it", async () => {
  const client = await newClient(origin, { client_name: "Growing" });
  const { headers } = await signIn(client);
  const challenged = await post(`${origin}/mcp`, { ...POST, headers });
  expect(challenged.status).toBe(403);
  expect(challenged.headers["www-authenticate"]).toMatch(/insufficient_scope.*scope="mcp write"/);
  const request = await owner.open(authorization(client, { scope: "mcp write" }).url);
  expect(await owner.command("client_request", { request })).toMatchObject({
    agents: ["growing"],
    proposed: { profile: "write", calls_per_day: 50, usd_per_day: 0.5 },
  });
  const more = await signIn(client, { agent: "growing", profile: "write" });
  expect((await post(`${origin}/mcp`, { ...POST, headers: more.headers })).status).toBe(200);
  // The earlier sign-in is replaced.
  await expect.poll(() => statusOf(headers), { timeout: 20_000 }).toBe(401);
});

test("the same client on another device is a separate agent", async () => {
  const client = await newClient(origin, { client_name: "Roaming" });
  const devices = [await signIn(client), await signIn(client, { agent: null })];
  for (const { headers } of devices) expect(await statusOf(headers)).toBe(200);
  const { agents } = await owner.command("agents");
  expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(["roaming", "roaming-2"]));
});

test("a browser decides only about requests that it opened itself", async () => {
  const { url } = authorization(await newClient(origin));
  const asked = await fetch(url, { redirect: "manual" });
  const address = new URL(asked.headers.get("location") ?? "", origin);
  const request = new URLSearchParams(address.hash.split("?")[1]).get("request") ?? "";
  expect(request).not.toBe("");
  const decided = owner.command("client_decide", { approve: true, request, ...LIMITS, profile: "readonly" });
  expect(await decided).toMatchObject({
    error: { message: expect.stringContaining("started in another browser") },
  });
});

test("a change in the dashboard keeps the limits of single tools", async () => {
  const words = ["agents", "add", "news", "--limit", "x_post_tweet=3/day,all=20/day"];
  await tuitbot(home, words);
  const { agents } = await owner.command("agents");
  expect(agents.find(({ name }) => name === "news")).toMatchObject({ calls_per_day: 20 });
  await owner.command("agent_permit", {
    ...{ name: "news", profile: "readonly", calls_per_day: 10, usd_per_day: 1 },
  });
  const listed = JSON.parse(await tuitbot(home, ["agents", "list", "--output", "json"]));
  const { limits } = listed.agents.find(({ name }: { name: string }) => name === "news");
  expect(limits).toMatchObject([
    { dimension: "tool", match_value: "x_post_tweet", max_count: 3 },
    { dimension: "global", max_count: 10 },
  ]);
});

test("agents revoke ends the refresh tokens of a client too", async () => {
  const client = await newClient(origin, { client_name: "Ended" });
  const tokens = await signIn(client);
  await tuitbot(home, ["agents", "revoke", "ended"]);
  expect(await refresh(client, tokens.refresh)).toMatchObject({
    status: 400,
    body: { error: "invalid_grant" },
  });
});

test("a client that logs itself out is listed as ended, in the dashboard and on the command line", async () => {
  const client = await newClient(origin, { client_name: "Leaving" });
  const tokens = await signIn(client);
  const states = async () => {
    const { agents } = await owner.command("agents");
    const listed = JSON.parse(await tuitbot(home, ["agents", "list", "--output", "json"])).agents;
    return [agents, listed].map(
      (all: { name: string; is_active: boolean }[]) => all.find(({ name }) => name === "leaving")?.is_active,
    );
  };
  expect(await states()).toEqual([true, true]);
  expect((await revoke(client, tokens.refresh)).status).toBe(200);
  expect(await states()).toEqual([false, false]);
});

test("two approvals of one request at the same time connect one agent", async () => {
  const client = await newClient(origin, { client_name: "Twice" });
  const request = await owner.open(authorization(client).url);
  const choice = { approve: true, request, agent: null, profile: "readonly", ...LIMITS } as const;
  const approve = () => owner.command("client_decide", choice);
  const answers = await Promise.all([approve(), approve(), approve()]);
  expect(answers.filter(({ location }) => location !== undefined)).toHaveLength(1);
  const { agents } = await owner.command("agents");
  expect(agents.filter((agent) => agent.client?.name === "Twice")).toHaveLength(1);
});
