import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CALLBACK, newClient, newCode, redeem, refresh } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

test("a code is redeemed only by a POST of a form that names everything once", async () => {
  const { origin } = await serveSignIn();
  const client = await newClient(origin);
  const { code, verifier } = await newCode(client);
  const grant = {
    ...{ grant_type: "authorization_code", client_id: client.id, code, code_verifier: verifier },
    ...{ redirect_uri: CALLBACK, resource: `${origin}/mcp` },
  };
  const endpoint = `${origin}/oauth/token`;
  const form = new URLSearchParams(grant);
  const statusOf = async (url: string, init: RequestInit) => (await fetch(url, init)).status;
  expect(await statusOf(`${endpoint}?${form}`, {})).toBe(404);
  expect(await statusOf(`${endpoint}?${form}`, { method: "POST", headers: FORM })).toBe(400);
  const json = { method: "POST", headers: { "content-type": "application/json" } };
  expect(await statusOf(endpoint, { ...json, body: JSON.stringify(grant) })).toBe(400);
  for (const name of Object.keys(grant).filter((one) => one !== "resource")) {
    const twice = new URLSearchParams(form);
    twice.append(name, "another");
    expect(await statusOf(endpoint, { method: "POST", headers: FORM, body: twice }), name).toBe(400);
  }
  expect((await redeem(client, { code, verifier })).status).toBe(200);
});

test("pages of other origins reach no endpoint, and answers with tokens are not cached", async () => {
  const { origin, url } = await serveSignIn();
  const client = await newClient(origin);
  const headers = { ...FORM, origin: "https://evil.test" };
  for (const path of ["/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/consent", "/mcp"]) {
    const refused = await fetch(`${origin}${path}`, { method: "POST", headers, body: "{}" });
    expect(refused.status, path).toBe(403);
    expect(refused.headers.has("access-control-allow-credentials")).toBe(false);
  }
  const asked = await fetch(`${new URL(url).origin}/oauth/token`, {
    method: "POST",
    headers: FORM,
    body: new URLSearchParams({ grant_type: "refresh_token", client_id: client.id, refresh_token: "guess" }),
  });
  expect(asked.headers.get("cache-control")).toBe("no-store");
});

test("the database has no code and no token, used or not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-stored-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { origin } = await serveSignIn({}, join(folder, "sign-in.db"));
  const client = await newClient(origin);
  const unused = await newCode(client);
  const used = await newCode(client);
  const first = (await redeem(client, used)).body;
  const second = (await refresh(client, first.refresh_token)).body;
  const secrets = [unused.code, used.code, unused.verifier, used.verifier];
  for (const { access_token = "", refresh_token = "" } of [first, second])
    secrets.push(access_token, refresh_token);
  const stored = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
  expect(stored.includes("RefreshToken")).toBe(true);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThanOrEqual(43);
    expect(stored.includes(secret)).toBe(false);
  }
});

test("a server without a sign-in loads none of its files", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { serveHttp } = await import(${JSON.stringify(new URL("../../src/mcp/http.ts", import.meta.url).href)});
    const { notesApp } = await import(${JSON.stringify(new URL("../notes-product.ts", import.meta.url).href)});
    const { url, close } = await serveHttp(notesApp().app, { port: 0, token: "a long secret of this test" });
    const status = await fetch(url, { method: "POST" }).then(({ status }) => status);
    await close();
    console.log(JSON.stringify({ status, loaded }));`;
  const child = spawn(
    process.execPath,
    ["--conditions=toolpact-source", "--input-type=module", "-e", program],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let printed = "";
  child.stdout.on("data", (part) => {
    printed += part;
  });
  await once(child, "close");
  const { status, loaded } = JSON.parse(printed) as { status: number; loaded: readonly string[] };
  expect(status).toBe(401);
  expect(loaded.some((url) => url.endsWith("/src/mcp/http-handler.ts"))).toBe(true);
  expect(loaded.filter((url) => /\/src\/oauth\/|oidc-provider/.test(url))).toEqual([]);
});
