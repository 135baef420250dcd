import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorCode, xErrors } from "../src/errors.ts";
import { adsTools } from "../src/tools/x/ads.ts";
import { type Envelope, type LiveServer, queuedItem, serveLive } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

/** Advertising through a real server with keys for it, on the sandbox's Ads API. The agent may approve here. */

let home: string;
let sandbox: Sandbox;
let server: LiveServer;
let account_id: string;
const seen = new Map<string, Set<string>>(adsTools.map(({ name }) => [name, new Set()]));

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-ads-"));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  const { token, secret } = sandbox.oauth1();
  server = await serveLive(["--profile", "admin"], {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_ADS__CONSUMER_KEY: sandbox.app.consumerKey,
    TUITBOT_ADS__CONSUMER_SECRET: sandbox.app.consumerSecret,
    TUITBOT_ADS__ACCESS_TOKEN: token,
    TUITBOT_ADS__ACCESS_TOKEN_SECRET: secret,
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_APPROVALS__ALLOW_AGENT: "true",
    TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
  });
  const [account] = (await made("x_ads_accounts", {})) as unknown as readonly { id: string }[];
  account_id = account?.id ?? "";
});

afterAll(async () => {
  await server?.close();
  await sandbox?.close();
  rmSync(home, { recursive: true, force: true });
});

/** A call; what waits for a person is approved. */
async function call(tool: string, args: Record<string, unknown> = {}): Promise<Envelope> {
  const answer = await server.call(tool, args);
  const id = queuedItem(answer);
  if (id === undefined) return noted(tool, answer);
  expect(answer.data, tool).toMatchObject({ matched_rule_id: "hard:ads_approval" });
  const released = await server.call("approve_item", { id });
  const data = (released.data as { readonly result?: unknown } | null)?.result ?? null;
  return noted(tool, { ...released, data });
}

function noted(tool: string, answer: Envelope): Envelope {
  if (answer.error !== undefined) seen.get(tool)?.add(answer.error.code);
  return answer;
}

async function made(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { success, data, error } = await call(tool, args);
  expect(success, `${tool}: ${JSON.stringify(error)}`).toBe(true);
  return (data as { readonly data: Record<string, unknown> }).data;
}

async function listed(tool: string, args: Record<string, unknown> = {}): Promise<readonly { id: string }[]> {
  return (await made(tool, { account_id, ...args })) as unknown as readonly { id: string }[];
}

test("a page says whether there is more, as everywhere, and x_get reads the same with the Ads keys", async () => {
  const { data, meta } = await call("x_ads_accounts", { count: 1 });
  expect(meta).toMatchObject({ pagination: { result_count: 1, has_more: expect.any(Boolean) } });
  const raw = await server.call("x_get", { host: "ads-api.x.com", path: "/12/accounts" });
  expect(raw).toMatchObject({ success: true, data: { status: 200 } });
  const [first] = (data as { data: { id: string }[] }).data;
  expect(JSON.stringify(raw.data)).toContain(first?.id);
  const bad = await server.call("x_get", { host: "ads-api.x.com", path: `/12/stats/accounts/${account_id}` });
  expect(bad.error).toMatchObject({
    code: "invalid_input",
    details: { x_said: expect.stringMatching(/entity/i) },
  });
});

test("a campaign is made paused, with all that belongs to it, each with a person's approval", async () => {
  expect(await made("x_ads_account_by_id", { account_id })).toMatchObject({ id: account_id });
  const [payer] = await listed("x_ads_funding_instruments");
  const campaign = await made("x_ads_campaign_create", {
    account_id,
    name: "Autumn",
    funding_instrument_id: payer?.id,
    daily_budget_amount_local_micro: 5_000_000,
  });
  // X itself would start it at once.
  expect(campaign).toMatchObject({ name: "Autumn", entity_status: "PAUSED" });
  const lineItem = await made("x_ads_line_item_create", {
    account_id,
    campaign_id: campaign.id,
    bid_amount_local_micro: 1_000_000,
    product_type: "PROMOTED_TWEETS",
    placements: "ALL_ON_TWITTER",
    objective: "ENGAGEMENTS",
    bid_type: "MAX",
  });
  expect(lineItem).toMatchObject({ entity_status: "PAUSED", bid_strategy: "MAX" });
  const onLineItem = { account_id, line_item_id: lineItem.id };
  expect(await made("x_ads_promoted_tweet_create", { ...onLineItem, tweet_ids: "1,2" })).toHaveLength(2);
  const targeting = await made("x_ads_targeting_create", {
    ...onLineItem,
    targeting_type: "LOCATION",
    targeting_value: "00a8b25e420adc94",
  });
  for (const [tool, ids] of [
    ["x_ads_campaigns", { campaign_ids: campaign.id }],
    ["x_ads_line_items", { campaign_ids: campaign.id }],
    ["x_ads_promoted_tweets", { line_item_ids: lineItem.id }],
    ["x_ads_targeting_criteria", { line_item_ids: lineItem.id }],
  ] as const)
    expect((await listed(tool, ids)).length, tool).toBeGreaterThan(0);
  const onCampaign = { account_id, campaign_id: campaign.id };
  expect(await made("x_ads_campaign_update", { ...onCampaign, name: "Winter" })).toMatchObject({
    name: "Winter",
    entity_status: "PAUSED",
  });
  expect(await made("x_ads_campaign_by_id", onCampaign)).toMatchObject({ name: "Winter" });
  expect(
    await made("x_ads_analytics", { account_id, entity: "CAMPAIGN", entity_ids: campaign.id }),
  ).toMatchObject([{ id: campaign.id }]);
  // X needs the ids, so the tool asks for them itself.
  expect(await call("x_ads_analytics", { account_id, entity: "CAMPAIGN" })).toMatchObject({
    error: { code: "invalid_input", message: expect.stringContaining("entity_ids") },
  });
  await made("x_ads_targeting_delete", { account_id, id: targeting.id });
  await made("x_ads_campaign_delete", onCampaign);
  expect(await call("x_ads_campaign_by_id", onCampaign)).toMatchObject({ error: { code: "not_found" } });
  // Once each, and each written down before it was sent.
  const changes = sandbox.journal.entries.filter(
    ({ method, path }) => method !== "GET" && path.startsWith("/12/"),
  );
  expect(changes.map(({ method }) => method).sort()).toEqual([
    "DELETE",
    "DELETE",
    "POST",
    "POST",
    "POST",
    "POST",
    "PUT",
  ]);
  const { data } = await server.call("get_recent_mutations", { tool_name: "x_ads_campaign_create" });
  const { mutations } = data as { mutations: readonly { correlation_id: string; status: string }[] };
  const done = mutations.find(({ status }) => status === "success");
  expect(await server.call("get_mutation_detail", { correlation_id: done?.correlation_id })).toMatchObject({
    data: {
      receipt: { state: "confirmed" },
      rollback: { undo_tool: "x_ads_campaign_delete", params: onCampaign },
    },
  });
});

test("nothing can be made that runs at once", async () => {
  const before = sandbox.journal.entries.length;
  const active = { account_id, name: "Now", funding_instrument_id: "a", status: "ACTIVE" };
  expect(await call("x_ads_campaign_create", active)).toMatchObject({ error: { code: "invalid_input" } });
  expect(sandbox.journal.entries).toHaveLength(before);
});

test("a change in X's own terms is signed too, and waits for a person", async () => {
  const raw = { host: "ads-api.x.com", path: `/12/accounts/${account_id}/campaigns`, body: "{}" };
  expect(await call("x_post", raw)).toMatchObject({
    error: { code: "invalid_input", details: { x_said: expect.stringMatching(/\w/) } },
  });
});

describe("every trouble of X's becomes the code it stands for", () => {
  const troubles: readonly (readonly [
    ErrorCode,
    Omit<Parameters<Sandbox["faults"]["add"]>[0], "operation">,
  ])[] = [
    ["x_rate_limited", { kind: "rate_limited" }],
    ["x_auth_expired", { kind: "unauthorized" }],
    ["invalid_input", { kind: "error", status: 400 }],
    ["x_forbidden", { kind: "error", status: 403 }],
    ["not_found", { kind: "error", status: 404 }],
    ["x_api_error", { kind: "html", status: 502 }],
    ["x_network_error", { kind: "drop", when: "before" }],
  ];

  test.each(Object.entries(argsOf()))("%s", async (tool, args) => {
    for (const [code, fault] of troubles) {
      sandbox.faults.add({ operation: "*", ...fault });
      const account = tool === "x_ads_accounts" ? {} : { account_id };
      const { error } = await call(tool, { ...account, ...args, ...unlikeOthers(tool) });
      sandbox.faults.clear();
      expect([tool, error?.code]).toEqual([tool, code]);
    }
  });

  test("every declared code was seen, and no other", () => {
    const unseen: readonly ErrorCode[] = ["x_account_restricted", "x_not_configured"];
    const codes = xErrors.filter((code) => !unseen.includes(code));
    for (const [tool, found] of seen) expect([tool, [...found].sort()]).toEqual([tool, codes.toSorted()]);
  });
});

let calls = 0;

/** Makes each call another one: the same would wait for what became of the one before. */
function unlikeOthers(tool: string): Record<string, unknown> {
  calls += 1;
  if (tool.endsWith("_create")) return { idempotency_key: `call ${calls}` };
  switch (tool) {
    case "x_ads_campaign_update":
      return { name: `Winter ${calls}` };
    case "x_ads_campaign_delete":
      return { campaign_id: `c${calls}` };
    case "x_ads_targeting_delete":
      return { id: `t${calls}` };
    default:
      return {};
  }
}

function argsOf(): Readonly<Record<string, Record<string, unknown>>> {
  const onLineItem = { line_item_id: "6c62d" };
  return {
    x_ads_accounts: {},
    x_ads_account_by_id: {},
    x_ads_analytics: { entity: "CAMPAIGN", entity_ids: "8wku2" },
    x_ads_campaigns: {},
    x_ads_campaign_by_id: { campaign_id: "8wku2" },
    x_ads_campaign_create: { name: "Autumn", funding_instrument_id: "lygyi" },
    x_ads_campaign_update: { campaign_id: "8wku2" },
    x_ads_campaign_delete: {},
    x_ads_funding_instruments: {},
    x_ads_line_items: {},
    x_ads_line_item_create: {
      campaign_id: "8wku2",
      bid_amount_local_micro: 1,
      product_type: "PROMOTED_TWEETS",
      placements: "ALL_ON_TWITTER",
      objective: "ENGAGEMENTS",
    },
    x_ads_promoted_tweets: {},
    x_ads_promoted_tweet_create: { ...onLineItem, tweet_ids: "1" },
    x_ads_targeting_criteria: {},
    x_ads_targeting_create: { ...onLineItem, targeting_type: "LOCATION", targeting_value: "a" },
    x_ads_targeting_delete: {},
  };
}
