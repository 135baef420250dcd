import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { Sandbox } from "../src/index.ts";

/** All parameters in the URL, signed with OAuth 1.0a. */
async function ask(sandbox: Sandbox, method: string, path: string, query: Record<string, string> = {}) {
  const origin = "https://ads-api.x.com";
  const { token, secret } = sandbox.oauth1();
  const fields = {
    oauth_consumer_key: sandbox.app.consumerKey,
    oauth_nonce: "once",
    oauth_signature_method: "HMAC-SHA1",
    oauth_timestamp: "1790000000",
    oauth_token: token,
    oauth_version: "1.0",
  };
  const pairs = Object.entries({ ...fields, ...query }).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const base = [method, `${origin}${path}`, pairs.sort().join("&")].map(encodeURIComponent).join("&");
  const key = `${encodeURIComponent(sandbox.app.consumerSecret)}&${encodeURIComponent(secret)}`;
  const oauth_signature = createHmac("sha1", key).update(base).digest("base64");
  const authorization = `OAuth ${Object.entries({ ...fields, oauth_signature })
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(", ")}`;
  const response = await sandbox.fetch(`${origin}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { authorization },
  });
  return { status: response.status, body: (await response.json()) as { data: never; errors?: unknown } };
}

async function account(sandbox: Sandbox): Promise<string> {
  const { body } = await ask(sandbox, "GET", "/12/accounts");
  return `/12/accounts/${(body.data as { id: string }[])[0]?.id}`;
}

test("the Ads API accepts only OAuth 1.0a", async () => {
  const sandbox = new Sandbox();
  const { accessToken } = sandbox.signIn();
  for (const authorization of [`Bearer ${accessToken}`, `Bearer ${sandbox.app.bearerToken}`, "OAuth x"]) {
    const { status } = await sandbox.fetch("https://ads-api.x.com/12/accounts", {
      headers: { authorization },
    });
    expect(status).toBe(401);
  }
  expect((await ask(sandbox, "GET", "/12/accounts")).status).toBe(200);
});

test("starts a campaign immediately unless it is paused, pages, and drops deleted campaigns", async () => {
  const sandbox = new Sandbox();
  const at = await account(sandbox);
  const [payer] = (await ask(sandbox, "GET", `${at}/funding_instruments`)).body.data as { id: string }[];
  const make = async (name: string, more: Record<string, string> = {}) =>
    (
      await ask(sandbox, "POST", `${at}/campaigns`, {
        name,
        funding_instrument_id: payer?.id ?? "",
        ...more,
      })
    ).body.data as { id: string; entity_status: string };
  const first = await make("One");
  expect(first.entity_status).toBe("ACTIVE");
  expect((await make("Two", { entity_status: "PAUSED" })).entity_status).toBe("PAUSED");
  const page = await ask(sandbox, "GET", `${at}/campaigns`, { count: "1" });
  expect(page.body).toMatchObject({ next_cursor: "1", data: [{ name: "One" }] });
  expect(await ask(sandbox, "GET", `${at}/campaigns`, { count: "1", cursor: "1" })).toMatchObject({
    body: { next_cursor: null, data: [{ name: "Two" }] },
  });
  expect((await ask(sandbox, "DELETE", `${at}/campaigns/${first.id}`)).body.data).toMatchObject({
    deleted: true,
  });
  expect((await ask(sandbox, "GET", `${at}/campaigns/${first.id}`)).status).toBe(404);
});

test("the Ads API names a wrong parameter and does not find another user's account", async () => {
  const sandbox = new Sandbox();
  const at = await account(sandbox);
  expect(await ask(sandbox, "POST", `${at}/campaigns`, { name: "One" })).toMatchObject({
    status: 400,
    body: { errors: [{ code: "MISSING_PARAMETER", parameter: "funding_instrument_id" }] },
  });
  expect(await ask(sandbox, "PUT", `${at}/promoted_tweets/1`)).toMatchObject({ status: 404 });
  expect(await ask(sandbox, "GET", "/12/accounts/other/campaigns")).toMatchObject({ status: 404 });
});
