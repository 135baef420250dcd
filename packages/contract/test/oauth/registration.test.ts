import { describe, expect, onTestFinished, test } from "vitest";
import { openSqlite } from "../../src/guards/index.ts";
import { openRecords } from "../../src/oauth/records.ts";
import { Browser } from "./browser.ts";
import { laterBy } from "./later.ts";
import { authorization, newClient, register } from "./oauth-client.ts";
import { serveSignIn } from "./sign-in-server.ts";

describe("a registration", () => {
  test.each([
    [["javascript:alert(1)"]],
    [["data:text/html,x"]],
    [["file:///etc/passwd"]],
    [["http://evil.test/callback"]],
    [["http://127.0.0.1@evil.test/"]],
    [["https://user:secret@app.example/"]],
    [["https://app.example/#fragment"]],
    [["https://localhost/callback"]],
    [["https://evil.test;sandbox/callback"]],
    [["https://evil.test,evil.test/callback"]],
    [["/callback"]],
    [[]],
    [Array.from({ length: 11 }, (_, index) => `https://app.example/${index}`)],
  ])("with the redirect URIs %j is refused", async (redirect_uris) => {
    const { origin } = await serveSignIn();
    const refused = await register(origin, { redirect_uris });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: "invalid_redirect_uri" });
  });

  test.each([
    [{ redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"] }],
    [{ redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] }],
    [{ redirect_uris: ["https://claude.ai/api/mcp/auth_callback"], scope: "" }],
    [{ token_endpoint_auth_method: "client_secret_basic", grant_types: ["implicit"], scope: "mcp:read" }],
  ])("as %j is accepted as that of a public client with a code", async (metadata) => {
    const { origin } = await serveSignIn();
    const accepted = await register(origin, metadata);
    expect(accepted.status).toBe(201);
    const client = (await accepted.json()) as Record<string, unknown>;
    expect(client).toMatchObject({
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    });
    expect(client).not.toHaveProperty("client_secret");
    expect(client).not.toHaveProperty("scope");
  });

  test("is refused after thirty in an hour from one address, and again possible an hour later", async () => {
    const { origin } = await serveSignIn();
    const statuses: number[] = [];
    for (let index = 0; index < 31; index++) statuses.push((await register(origin)).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 201), 429]);
    laterBy(60 * 60_000 + 1);
    expect((await register(origin)).status).toBe(201);
  });

  test("counts for the sender that the proxy names, whatever the sender itself claims", async () => {
    const { url } = await serveSignIn({ publicUrl: "https://mcp.example" });
    const { origin } = new URL(url);
    const from = (address: string) => register(origin, {}, { "x-forwarded-for": address });
    for (let index = 0; index < 30; index++)
      expect((await from(`198.51.100.${index}, 203.0.113.1`)).status).toBe(201);
    expect((await from("198.51.100.99, 203.0.113.1")).status).toBe(429);
    expect((await from("203.0.113.2")).status).toBe(201);
    // Without a proxy, the sender cannot be forged.
    const direct = await serveSignIn();
    const statuses = new Set<number>();
    for (let index = 0; index < 31; index++)
      statuses.add((await register(direct.origin, {}, { "x-forwarded-for": `203.0.113.${index}` })).status);
    expect(statuses).toContain(429);
  });

  test("is refused if it is large, and impossible if the server turns it off", async () => {
    const { origin } = await serveSignIn();
    expect((await register(origin, { client_name: "x".repeat(20_000) })).status).toBe(413);
    const closed = await serveSignIn({ registration: false });
    expect((await register(closed.origin)).status).toBe(404);
    const metadata = await fetch(`${closed.origin}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).not.toHaveProperty("registration_endpoint");
  });

  test("that nobody used is forgotten after a month", async () => {
    const { origin } = await serveSignIn();
    const client = await newClient(origin);
    laterBy(31 * 24 * 60 * 60_000);
    expect((await new Browser().get(authorization(client).url)).status).toBe(400);
  });
});

test("only the newest 2,000 clients without a sign-in are kept, and all with one", async () => {
  const database = await openSqlite(":memory:");
  onTestFinished(() => database.close());
  let at = 0;
  const records = await openRecords(database, "flood", () => ++at);
  for (const id of ["used", "first"]) await records.save("Client", id, { client_id: id }, undefined);
  await records.save("RefreshToken", "a token", { clientId: "used" }, 60);
  for (let index = 0; index < 2_000; index++)
    await records.save("Client", `${index}`, { client_id: `${index}` }, undefined);
  expect(await records.find("Client", "first")).toBeUndefined();
  for (const id of ["used", "0", "1999"])
    expect(await records.find("Client", id)).toMatchObject({ client_id: id });
});

test("a browser is sent to sign in at most a hundred times an hour from one address", async () => {
  const { origin } = await serveSignIn();
  const { url } = authorization(await newClient(origin));
  const statuses = new Set<number>();
  for (let index = 0; index < 100; index++) statuses.add((await new Browser().get(url)).status);
  expect([...statuses]).toEqual([303]);
  const refused = await new Browser().get(url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
  laterBy(60 * 60_000 + 1);
  expect((await new Browser().get(url)).status).toBe(303);
});
