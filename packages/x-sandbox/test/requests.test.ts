import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Sandbox } from "../src/sandbox.ts";
import { owner } from "./caller.ts";

describe("requests are checked against the operation table", () => {
  test.each([
    [
      "/2/users/me?color=red",
      "color",
      "The query parameter [color] is not one of [user.fields,expansions,post.fields,tweet.fields]",
    ],
    [
      "/2/tweets/search/recent?query=maps&max_results=9",
      "max_results",
      "The `max_results` query parameter value [9] is not between 10 and 100",
    ],
    [
      "/2/tweets/search/recent?query=maps&max_results=ten",
      "max_results",
      "The `max_results` query parameter value [ten] is not valid",
    ],
    ["/2/tweets/search/recent", "query", "The `query` query parameter can not be empty"],
    ["/2/tweets/abc", "id", "The `id` query parameter value [abc] does not match ^[0-9]{1,19}$"],
    ["/2/users?ids=1,x", "ids", "The `ids` query parameter value [x] does not match ^[0-9]{1,19}$"],
    [
      "/2/users/me?expansions=author_id",
      "expansions",
      "The `expansions` query parameter value [author_id] is not one of",
    ],
    ["/2/tweets/search/recent?query=maps&start_time=yesterday", "start_time", "must be an ISO 8601 time"],
    [
      "/2/tweets/search/recent?query=maps&query=bread",
      "query",
      "The query parameter [query] must be given once",
    ],
    ["/2/tweets/search/recent?query=color:red", "query", "Reference to invalid operator 'color'"],
    [`/2/tweets/search/recent?query=${"m".repeat(513)}`, "query", "the limit of your access level is 512"],
  ])("%s", async (path, parameter, words) => {
    const heard = await owner().get(path);
    expect(heard.status).toBe(400);
    expect(heard.body).toMatchObject({
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: "https://api.twitter.com/2/problems/invalid-request",
    });
    expect(heard.at("errors", 0, "parameters", parameter)).toBeDefined();
    expect(heard.word("errors", 0, "message")).toContain(words);
  });

  test.each([
    [{ name: "n".repeat(26) }, "$.name: must be at most 25 characters long"],
    [{ description: "no name" }, "$.name: is missing but it is required"],
    [{ name: "x", private: "yes" }, "$.private: must be of type boolean"],
  ])("the body %o of a new list", async (body, words) => {
    const heard = await owner().post("/2/lists", body);
    expect(heard.status).toBe(400);
    expect(heard.word("errors", 0, "message")).toBe(words);
  });

  test("a body must be JSON, with its content type", async () => {
    const me = owner();
    const { accessToken } = me.sandbox.signIn();
    const send = (body: string, type: string) =>
      me.sandbox.fetch("https://api.x.com/2/tweets", {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${accessToken}`, "content-type": type },
      });
    expect((await send("text=x", "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await send("{", "application/json")).status).toBe(400);
    expect((await send("[]", "application/json")).status).toBe(400);
    expect((await send(JSON.stringify({ text: "x".repeat(2_000_000) }), "application/json")).status).toBe(
      413,
    );
  });

  test("a form must be complete, and its fields short", async () => {
    const me = owner();
    const { accessToken } = me.sandbox.signIn();
    const send = (body: string, type = "multipart/form-data; boundary=b") =>
      me.sandbox.fetch("https://api.x.com/2/media/upload", {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${accessToken}`, "content-type": type },
      });
    const form = (category: string) =>
      `--b\r\ncontent-disposition: form-data; name="media_category"\r\n\r\n${category}\r\n` +
      '--b\r\ncontent-disposition: form-data; name="media"; filename="f"\r\n\r\n\x89PNG\r\n\x1a\n\r\n--b--\r\n';
    const refusal = { errors: [{ message: "Request body is not valid multipart/form-data." }] };
    for (const response of [
      await send(form("tweet_image").slice(0, -10)),
      await send(form("tweet_image"), "multipart/form-data"),
      await send(form("x".repeat(65_537))),
    ]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject(refusal);
    }
    expect(await (await send(form("tweet_image"))).json()).not.toMatchObject(refusal);
  });
});

test("quiet() waits for requests whose callers disconnected", async () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.close());
  const { host, port } = new URL(await sandbox.listen());
  const { accessToken } = sandbox.signIn();
  const body = JSON.stringify({ text: "Good morning" });
  for (let caller = 0; caller < 20; caller++) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    const head = `POST /2/tweets HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${accessToken}\r\n`;
    const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    socket.write(`${head}${type}\r\n${body}`, () => socket.destroy());
    await once(socket, "close");
  }
  await sandbox.quiet();
  expect(sandbox.journal.of("createPosts")).toHaveLength(20);
});
