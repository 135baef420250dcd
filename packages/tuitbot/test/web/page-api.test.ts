import { execFileSync } from "node:child_process";
import { globSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Refused, StoredFile } from "../../src/web/api.ts";
import { queuedItem } from "../live-server.ts";
import { Browser, newHome, type Served, serve, tuitbot } from "./served.ts";

const { home, remove } = newHome();
let served: Served;
let owner: Browser;

beforeAll(async () => {
  served = await serve(home, { env: { TUITBOT_SCHEDULE__POSTING_SLOTS: "09:30" } });
  owner = new Browser(served.url);
  expect(await owner.signIn(served.link)).toMatchObject({ status: 200, body: { role: "owner" } });
});

afterAll(async () => {
  await served.stop();
  remove();
});

/** The agent proposes a post; the item as the page shows it. */
async function proposed(text: string) {
  const id = queuedItem(await served.call("x_post_tweet", { text }));
  const { body } = await owner.command("pending");
  const item = body.items.find((one) => one.id === id);
  if (item === undefined) throw new Error(`Item ${id} does not wait.`);
  return item;
}

describe("signing in", () => {
  test("works once, sets a cookie that scripts and other sites do not get, and says who and where", async () => {
    const again = new Browser(served.url);
    expect(await again.signIn(served.link)).toMatchObject({
      status: 401,
      body: { error: { code: "signed_out", fix: expect.stringContaining("Start the server again") } },
    });
    expect(await again.session()).toMatchObject({ signed_in: false, sign_in: ["link"] });
    expect(await owner.session()).toMatchObject({
      signed_in: true,
      role: "owner",
      is_sandbox: true,
      approval_mode: true,
      account: { username: expect.any(String) },
      csrf_token: owner.csrf,
    });
  });
});

describe("what waits", () => {
  test("is shown with its context, approved by what was seen, and goes out once", async () => {
    const item = await proposed("Rye today.");
    expect(item).toMatchObject({
      tool: "x_post_tweet",
      posts: [{ text: "Rye today.", length: 10 }],
      asked_by: { client: expect.stringContaining("agent of the test"), transport: "http" },
    });
    expect(await owner.command("approve", { id: item.id, digest: "0".repeat(64) })).toMatchObject({
      status: 409,
      body: { error: { failure: { code: "policy_denied_hard_rule", reason: "content_changed" } } },
    });
    expect(await owner.command("approve", { id: item.id, digest: item.digest })).toMatchObject({
      status: 200,
      body: { status: "approved", result: { url: expect.any(String) } },
    });
    expect(await owner.command("approve", { id: item.id, digest: item.digest })).toMatchObject({
      status: 409,
      body: {
        error: { message: expect.stringMatching(/person via web/), failure: { reason: "already_decided" } },
      },
    });
  });

  test("is rejected with a reason that the agent reads", async () => {
    const item = await proposed("Buy now.");
    // A no to what another person has edited meanwhile would be a no to something unseen.
    expect(await owner.command("reject", { id: item.id, digest: "0".repeat(64) })).toMatchObject({
      status: 409,
      body: { error: { failure: { reason: "content_changed" } } },
    });
    expect(
      await owner.command("reject", { id: item.id, digest: item.digest, reason: "Too salesy" }),
    ).toMatchObject({
      status: 200,
    });
    expect(await served.call("x_post_tweet", { text: "Buy now." })).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("Too salesy") },
    });
  });
});

describe("files of posts", () => {
  const PIXEL = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const folder = join(home, ".tuitbot", "media");
  const send = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const response = await owner.request("/api/media", {
      method: "POST",
      body,
      headers: { "content-type": "application/octet-stream", "x-tuitbot-csrf": owner.csrf, ...headers },
    });
    return { status: response.status, body: (await response.json()) as StoredFile & Refused };
  };
  const look = (file: string, headers: Record<string, string> = {}) =>
    owner.request(`/api/media?file=${encodeURIComponent(file)}`, { headers });

  test("are stored by their content, and shown as what they are", async () => {
    const first = await send(PIXEL);
    expect(first).toMatchObject({ status: 200, body: { media_type: "image/png", file_size_bytes: 70 } });
    expect((await send(PIXEL)).body.file_path).toBe(first.body.file_path);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(first.body.file_path).mode & 0o777).toBe(0o600);
    const shown = await look(first.body.file_path);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(PIXEL);
  });

  test("are refused where X would not take them", async () => {
    const page = await send(Buffer.from("<html><script>alert(1)</script>"));
    expect(page).toMatchObject({
      status: 409,
      body: { error: { failure: { code: "unsupported_media_type" } } },
    });
    const large = await send(Buffer.concat([PIXEL, Buffer.alloc(5 * 1024 * 1024)]));
    expect(large).toMatchObject({ status: 409, body: { error: { failure: { reason: "too_large" } } } });
    expect((await send(Buffer.alloc(33 * 1024 * 1024))).status).toBe(413);
    expect((await send(PIXEL, { "x-tuitbot-csrf": "" })).status).toBe(403);
    expect((await send(PIXEL, { "content-type": "text/plain" })).status).toBe(415);
    expect((await send(PIXEL, { cookie: "" })).status).toBe(401);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("are shown from their folders alone, to who is signed in, and only regular ones", async () => {
    const outside = join(home, "outside.png");
    writeFileSync(outside, PIXEL);
    symlinkSync(outside, join(folder, "link.png"));
    execFileSync("mkfifo", [join(folder, "pipe.png")]);
    writeFileSync(join(folder, "page.png"), "<html><script>alert(1)</script>");
    const names = [
      outside,
      "link.png",
      "pipe.png",
      "page.png",
      "../outside.png",
      "gone.png",
      folder,
      "/dev/zero",
      "",
    ];
    for (const name of names) expect([name, (await look(name)).status]).toEqual([name, 404]);
    const [stored = ""] = readdirSync(folder);
    expect((await look(stored)).status).toBe(200);
    expect((await look(stored, { cookie: "" })).status).toBe(401);
    expect((await look(stored, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });
});

describe("nobody else gets in", () => {
  test.each([
    ["without a cookie", { cookie: "" }, 401, "signed_out"],
    ["with the token of MCP", { cookie: "", authorization: "TOKEN" }, 401, "signed_out"],
    ["without the CSRF token", { "x-tuitbot-csrf": "" }, 403, "wrong_csrf_token"],
    ["with another CSRF token", { "x-tuitbot-csrf": "A".repeat(43) }, 403, "wrong_csrf_token"],
    ["from a page of another port", { origin: "http://127.0.0.1:1" }, 403, undefined],
    ["from a page that the browser calls foreign", { "sec-fetch-site": "same-site" }, 403, "wrong_origin"],
    ["as a form", { "content-type": "text/plain" }, 415, "bad_request"],
  ] as const)("%s", async (_how, headers, status, code) => {
    const authorization = "authorization" in headers ? { authorization: `Bearer ${served.token}` } : {};
    for (const path of ["/api/commands/status", "/api/tools/get_stats"]) {
      const refused = await owner.post<Refused>(path, {}, { ...headers, ...authorization });
      expect(refused.status).toBe(status);
      if (code !== undefined) expect(refused.body.error.code).toBe(code);
    }
  });

  test("by another name of the machine", async () => {
    const status = await new Promise((resolve) => {
      const request = httpRequest(new URL("/api/session", served.url), { headers: { host: "evil.example" } });
      request.once("response", (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
  });

  test("and the cookie of the page does not open MCP", async () => {
    const initialize = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const headers = { accept: "application/json, text/event-stream" };
    expect(await owner.post("/mcp", initialize, headers)).toMatchObject({ status: 401 });
  });

  test("and of a stranger no more is read than a link", async () => {
    const long = await new Browser(served.url).signIn("x".repeat(5_000));
    expect(long).toMatchObject({
      status: 413,
      body: { error: { message: expect.stringContaining("4096") } },
    });
  });

  test("the cookie is out of reach of scripts and other sites, and opens only the API", async () => {
    const { cookie } = owner;
    const again = await owner.post("/api/sign-in", { link: "no such link" }, { cookie });
    expect(again.status).toBe(401);
    expect(owner.setCookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/api; Max-Age=\d+$/);
  });

  test.each([
    ["GET", "/api/commands/status", 404],
    ["POST", "/api/commands/no_such", 404],
    ["POST", "/api/commands/toString", 404],
    ["POST", "/api/tools/no_such", 404],
    ["POST", "/api/commands/approve", 400],
    ["POST", "/api/commands/status/more", 404],
    ["GET", "/assets/../../package.json", 404],
    ["GET", "/assets/%2e%2e/%2e%2e/package.json", 404],
  ] as const)("%s %s is refused with %d and a typed error", async (method, path, status) => {
    const headers = { "content-type": "application/json", "x-tuitbot-csrf": owner.csrf };
    const response = await owner.request(path, { method, headers, ...(method === "POST" && { body: "{}" }) });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
  });
});

describe("the same way in", () => {
  test("commands answer what the command line prints as JSON", async () => {
    for (const [name, words] of [
      ["status", ["status"]],
      ["spend", ["spend"]],
      ["log", ["log"]],
      ["stats", ["stats"]],
    ] as const) {
      const printed = JSON.parse(await tuitbot(home, [...words, "--output", "json"]));
      expect((await owner.command(name)).body, name).toEqual(printed);
    }
  });

  test("a tool is a call of a person, in the audit and under the same rules", async () => {
    const answer = await owner.tool("x_post_tweet", { text: "From the page." });
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: { status: "queued" } } });
    const { body } = await owner.command("pending");
    expect(body.items.at(-1)).toMatchObject({ asked_by: { transport: "web", client: expect.any(String) } });
    expect(await owner.tool("approve_all", {})).toMatchObject({
      body: { success: false, error: { code: "policy_denied_hard_rule", reason: "needs_person" } },
    });
  });

  test("hostile text comes through as it is, as JSON", async () => {
    const text = `</script><img src=x onerror=alert(1)>\u202e\u0000${"Z\u0351\u0489".repeat(20)} & "' \u2028`;
    await served.call("create_draft", { texts: [text.replaceAll("\u0000", "")] });
    const response = await owner.request("/api/commands/drafts", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", "x-tuitbot-csrf": owner.csrf },
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.json()).toMatchObject({ drafts: [{ texts: [text.replaceAll("\u0000", "")] }] });
  });

  test("an edit shows the change, an approval of the old content is refused, and a slot can be had instead", async () => {
    const item = await proposed("Spelt tomorow.");
    const args = { ...item.args, text: "Spelt tomorrow." };
    const edited = await owner.command("edit", { id: item.id, digest: item.digest, args });
    expect(edited).toMatchObject({ status: 200, body: { posts: [{ text: "Spelt tomorrow." }] } });
    const stale = { id: item.id, digest: item.digest };
    expect(await owner.command("approve", stale)).toMatchObject({ status: 409 });
    expect(await owner.command("next_slot", stale)).toMatchObject({ status: 409 });
    const scheduled = await owner.command("next_slot", { id: item.id, digest: edited.body.digest });
    expect(scheduled).toMatchObject({
      status: 200,
      body: { draft: { status: "scheduled", approval: "approved", texts: ["Spelt tomorrow."] } },
    });
    expect((await owner.command("pending")).body.items.map(({ id }) => id)).not.toContain(item.id);
  });

  test("a post that was moved to a slot is scheduled for its agent and in the log, and counts as no rejection", async () => {
    const text = "For the next slot.";
    const { id, digest } = await proposed(text);
    expect(await owner.command("next_slot", { id, digest })).toMatchObject({ status: 200 });
    const { body } = await owner.command("log", { tool: "x_post_tweet", status: "scheduled" });
    expect(body.entries.map(({ params }) => Object(params).text)).toContain(text);
    const rejected = await owner.command("log", { tool: "x_post_tweet", status: "rejected" });
    expect(rejected.body.entries.map(({ params }) => Object(params).text)).not.toContain(text);
    const { data } = await served.call("list_pending_approvals");
    const { decided } = Object(data) as { readonly decided: readonly object[] };
    expect(decided).toContainEqual(expect.objectContaining({ id, status: "scheduled" }));
  });
});

test("an item that was altered in the database gets no slot", async () => {
  const { id, digest, args } = await proposed("As the person saw it.");
  const [file = ""] = globSync(`${home}/.tuitbot/sandboxes/*/tuitbot.db`);
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database
    .prepare("update approvals set args_json = ? where id = ?")
    .run(JSON.stringify({ ...args, text: "As somebody altered it." }), id);
  database.close();
  expect(await owner.command("next_slot", { id, digest })).toMatchObject({
    status: 409,
    body: { error: { failure: { reason: "content_changed" } } },
  });
  expect(JSON.stringify((await owner.command("drafts")).body)).not.toContain("altered");
  expect(await owner.command("reject", { id, digest })).toMatchObject({ status: 200 });
});

test("two browsers that approve the same item at once send one post", async () => {
  const item = await proposed("Only once.");
  const { id, digest } = item;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => owner.command("approve", { id, digest })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  const { body } = await owner.command("log", { limit: 500, tool: "x_post_tweet", status: "success" });
  const sent = body.entries.filter(({ params }) => JSON.stringify(params).includes("Only once."));
  expect(sent).toHaveLength(1);
  const by = sent[0]?.client ?? "";
  const { body: own } = await owner.command("log", { limit: 500, client: by });
  expect(own.entries.map(({ client }) => client)).toEqual(own.entries.map(() => by));
  expect(own.entries).not.toEqual([]);
  expect((await owner.command("log", { client: "nobody" })).body.entries).toEqual([]);
});
