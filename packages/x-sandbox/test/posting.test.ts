import { describe, expect, test } from "vitest";
import { app, as, owner } from "./caller.ts";
import { forbidden, invalid, refused } from "./refusals.ts";

const hour = 3_600_000;

describe("a post", () => {
  test("has a 19-digit id and the text as X stores it", async () => {
    const me = owner();
    const heard = await me.post("/2/tweets", { text: "See https://example.com/a and README.md" });
    expect(heard.status).toBe(201);
    expect(heard.word("data", "id")).toMatch(/^[0-9]{19}$/);
    expect(heard.word("data", "text")).toMatch(/^See https:\/\/t\.co\/\w{10} and https:\/\/t\.co\/\w{10}$/);
    const read = await me.get(`/2/tweets/${heard.word("data", "id")}?post.fields=entities`);
    expect(read.at("data", "entities", "urls")).toMatchObject([
      { expanded_url: "https://example.com/a", start: 4, end: 27 },
      { expanded_url: "http://README.md", start: 32, end: 55 },
    ]);
  });

  test("is rejected if it repeats one of the last day, unless that was deleted", async () => {
    const me = owner();
    const first = await me.post("/2/tweets", { text: "Once  is enough " });
    refused(
      await me.post("/2/tweets", { text: "Once is enough" }),
      403,
      forbidden("You are not allowed to create a Tweet with duplicate content."),
    );
    await me.delete(`/2/tweets/${first.word("data", "id")}`);
    expect((await me.post("/2/tweets", { text: "Once is enough" })).status).toBe(201);
    me.sandbox.clock.advance(24 * hour + 1);
    const later = as(me.sandbox, "sandbox_owner");
    expect((await later.post("/2/tweets", { text: "Once is enough" })).status).toBe(201);
  });

  test("may weigh 280, and 25,000 with Premium", async () => {
    const me = owner();
    const tooLong = `${"字".repeat(140)}a`;
    expect((await me.post("/2/tweets", { text: "字".repeat(140) })).status).toBe(201);
    refused(
      await me.post("/2/tweets", { text: tooLong }),
      400,
      invalid("text", tooLong, "Your Tweet text is too long."),
    );
    me.sandbox.person("sandbox_owner").subscription = "Premium";
    const long = await me.post("/2/tweets", { text: "b".repeat(25_000) });
    expect(long.status).toBe(201);
    expect(long.word("data", "text")).toHaveLength(25_000);
    const read = await me.get(`/2/tweets/${long.word("data", "id")}?post.fields=note_post`);
    expect(read.word("data", "text")).toHaveLength(280);
    expect(read.word("data", "note_post", "text")).toHaveLength(25_000);
    expect((await me.post("/2/tweets", { text: "b".repeat(25_001) })).status).toBe(400);
  });

  test("may have one cashtag on self-serve, several on enterprise", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: "$BREAD or $MAPS" }),
      403,
      forbidden("You are not allowed to create a Tweet with more than one cashtag."),
    );
    expect((await me.post("/2/tweets", { text: "$BREAD and $bread" })).status).toBe(201);
    me.sandbox.plan = "enterprise";
    expect((await me.post("/2/tweets", { text: "$BREAD or $MAPS" })).status).toBe(201);
  });

  test("needs content, and at most one kind of attachment", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: " " }),
      400,
      invalid("text", " ", "The Tweet must have text or media."),
    );
    const both = await me.post("/2/tweets", {
      text: "x",
      poll: { options: ["a", "b"], duration_minutes: 5 },
      media: { media_ids: ["1"] },
    });
    expect(both.status).toBe(400);
    expect(both.word("errors", 0, "message")).toBe("[poll, media] are mutually exclusive.");
  });

  test("with an unknown field is rejected", async () => {
    const me = owner();
    const heard = await me.post("/2/tweets", { text: "x", idempotency_key: "k" });
    const message =
      "$.idempotency_key: is not defined in the schema and the schema does not allow additional properties";
    refused(heard, 400, invalid("idempotency_key", "k", message));
  });

  test("with unknown media is rejected", async () => {
    const me = owner();
    refused(
      await me.post("/2/tweets", { text: "x", media: { media_ids: ["1"] } }),
      400,
      invalid("media.media_ids", "1", "Your media IDs are invalid."),
    );
  });

  test("an app without a user cannot write", async () => {
    const me = owner();
    const heard = await app(me.sandbox).post("/2/tweets", { text: "By nobody" });
    refused(heard, 403, {
      title: "Unsupported Authentication",
      detail:
        "Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint. Supported authentication types are [OAuth 2.0 User Context, OAuth 1.0a User Context].",
      type: "https://api.twitter.com/2/problems/unsupported-authentication",
      status: 403,
    });
  });
});
