import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postingEnv } from "../bench/posting-env.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

let client: Client;
let sandbox: Sandbox;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-bytes-"));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  client = new Client({ name: "tester", version: "1" });
  const env = cleanEnv(home, postingEnv(await signedInEnv(home, sandbox)));
  const { command, args } = tuitbotCommand;
  await client.connect(
    new StdioClientTransport({ command, args: [...args, "mcp", "serve"], env, stderr: "ignore" }),
  );
}, 60_000);

afterAll(async () => {
  await client?.close();
  await sandbox?.close();
  rmSync(home, { recursive: true, force: true });
});

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("the list of everyday tools has at most 16 kB as it is sent", async () => {
  expect(bytes(await client.listTools())).toBeLessThanOrEqual(16_000);
});

test("the answer to a published post has at most 330 bytes", async () => {
  expect(await answerTo("x_post_tweet", { text: "One post" })).toBeLessThanOrEqual(330);
});

test("twenty posts of a person have at most 4.2 kB", async () => {
  // Most texts are a sentence, some are long.
  for (let day = 1; day <= 20; day++)
    sandbox.say(
      cast.stranger,
      `Day ${day}: the starter doubled in ${day + 3} hours${day % 4 === 0 ? ", and the crumb is open at last" : ""}.`,
    );
  sandbox.clock.advance(30_000);
  const args = { user_id: `@${cast.stranger}`, max_results: 20 };
  expect(await answerTo("x_get_user_tweets", args)).toBeLessThanOrEqual(4_200);
});

async function answerTo(name: string, args: Record<string, unknown>): Promise<number> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  expect(structuredContent).toMatchObject({ success: true });
  return bytes(structuredContent);
}
