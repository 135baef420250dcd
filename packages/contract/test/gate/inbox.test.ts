import { expect, onTestFinished, test } from "vitest";
import { inboxAt, inboxStage } from "./inbox-stage.ts";

async function inbox() {
  const { storage, link, propose, lose, ...stage } = await inboxStage("<files>");
  onTestFinished(() => stage[Symbol.asyncDispose]());
  return { storage, propose, lose, ...inboxAt(link) };
}

test("the link signs in once, and nothing is shown or decided without it", async () => {
  const { origin, ticket, post, propose, signIn } = await inbox();
  const { id, digest } = await propose({ path: "a" });
  expect((await fetch(`${origin}/waiting`)).status).toBe(401);
  expect((await post("/decide", { id, digest, approve: true })).status).toBe(401);
  expect((await post("/session", { ticket: `${ticket}x` })).status).toBe(401);
  const { cookie } = await signIn();
  expect((await post("/session", { ticket })).status).toBe(401);
  expect((await fetch(`${origin}/waiting`, { headers: { cookie: `${cookie}x` } })).status).toBe(401);
});

test("a decision needs the page's own origin and its second secret, names what was seen, and counts once", async () => {
  const { post, propose, signIn, storage } = await inbox();
  const { id, digest } = await propose({ path: "a", text: "\u202eevil" });
  const { cookie, headers, waiting } = await signIn();
  expect((await waiting()).waiting[0]?.parts).toContainEqual({
    name: "text",
    kind: "value",
    text: '"\\u{202e}evil"',
  });
  const yes = { id, digest, approve: true };
  expect((await post("/decide", yes, { cookie })).status).toBe(403);
  expect((await post("/decide", yes, { ...headers, origin: "http://evil.example" })).status).toBe(403);
  expect((await post("/decide", yes, { ...headers, "content-type": "text/plain" })).status).toBe(403);
  expect((await post("/decide", yes, { ...headers, "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await post("/decide", { ...yes, digest: "another" }, headers)).status).toBe(409);
  expect((await storage.item(id))?.status).toBe("waiting");
  expect((await post("/decide", { ...yes, approve: false, note: "no" }, headers)).status).toBe(200);
  expect((await post("/decide", yes, headers)).status).toBe(409);
  expect(await storage.item(id)).toMatchObject({
    status: "rejected",
    note: "no",
    decidedBy: "person via web",
  });
});

test("calls with an unknown outcome are resolved there too", async () => {
  const { post, signIn, lose, storage } = await inbox();
  await lose("pay", {});
  const { headers, waiting } = await signIn();
  expect((await waiting()).in_doubt).toMatchObject([{ id: "lost pay", tool: "pay" }]);
  expect((await post("/settle", { id: "lost pay", done: true }, headers)).status).toBe(200);
  expect((await post("/settle", { id: "lost pay", done: false }, headers)).status).toBe(409);
  expect(await storage.receipt("lost pay")).toMatchObject({ state: "done", settledBy: "person via web" });
});

test("the page asks no other host, and no name of a gate is markup", async () => {
  const { origin } = await inbox();
  const page = await fetch(origin);
  const text = await page.text();
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'nonce-/);
  expect(text).toContain("&#60;files&#62;");
  expect(text).not.toContain("<files>");
  expect(text.match(/(?:https?:)?\/\/[a-z]/g)).toBeNull();
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
});
