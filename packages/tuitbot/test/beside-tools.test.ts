import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LiveServer, serveLive } from "./live-server.ts";

let server: LiveServer;

beforeAll(async () => {
  server = await serveLive(["--sandbox", "--profile", "utility-write"]);
}, 30_000);

afterAll(() => server.close());

describe("resources", () => {
  async function read(uri: string) {
    const { contents } = await server.client.readResource({ uri });
    const [content] = contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "null");
  }

  test("the configuration, the errors and every tool can be read", async () => {
    expect(await read("tuitbot://config")).toMatchObject({ mode: "autopilot" });
    expect(Object.keys(await read("tuitbot://errors"))).toHaveLength(27);
    expect(await read("tuitbot://tools/x_post_tweet")).toMatchObject({
      name: "x_post_tweet",
      mutation: true,
      output_schema: { properties: { id: { type: "string" } } },
      cost_at_x: expect.stringContaining("with a link"),
    });
  });

  test("a tool of another profile does not exist here, and nothing else does either", async () => {
    await expect(read("tuitbot://tools/get_mode")).rejects.toThrow(/no such tool/);
    await expect(read("tuitbot://elsewhere")).rejects.toThrow();
  });
});

describe("in a profile with drafts", () => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await serveLive(["--sandbox", "--profile", "write"]);
  }, 30_000);
  afterAll(() => server.close());

  test("they can be read, and a prompt leads through them", async () => {
    const drafts = async () => {
      const { contents } = await server.client.readResource({ uri: "tuitbot://drafts" });
      const [content] = contents;
      return JSON.parse(content !== undefined && "text" in content ? content.text : "null");
    };
    expect(await drafts()).toEqual([]);
    await server.client.callTool({ name: "compose_tweet", arguments: { topic: "rye" } });
    expect(await drafts()).toMatchObject([{ draft_id: 1, topic: "rye", status: "draft" }]);
    const { messages } = await server.client.getPrompt({ name: "compose_post", arguments: { topic: "rye" } });
    expect(JSON.stringify(messages)).toContain("publish_draft");
  });
});

describe("prompts", () => {
  test("are offered where their tools are", async () => {
    const { prompts } = await server.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["find_conversations", "catch_up", "write_thread"]);
    const { messages } = await server.client.getPrompt({ name: "write_thread", arguments: { topic: "rye" } });
    expect(JSON.stringify(messages)).toContain("resume");
    const small = await serveLive(["--sandbox", "--profile", "readonly"]);
    try {
      const names = (await small.client.listPrompts()).prompts.map(({ name }) => name);
      expect(names).toEqual(["find_conversations", "catch_up"]);
    } finally {
      await small.close();
    }
  });
});
