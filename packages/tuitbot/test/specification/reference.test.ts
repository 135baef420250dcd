import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cast, Sandbox } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { openBakery } from "../engagement/passes.ts";
import { cleanEnv, tuitbotCommand } from "../live-server.ts";
import { signInAt } from "../signed-in-env.ts";

test.each<readonly [command: string, file: string, options: readonly string[]]>([
  ["tuitbot mcp serve", ".tuitbot/config.toml", []],
  ["tuitbot -c FILE mcp serve", "elsewhere/my.toml", ["-c", "elsewhere/my.toml"]],
])("%s reads the configuration and the database that the command line uses", async (_, file, options) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-reference-")));
  const sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  mkdirSync(join(home, file, ".."), { recursive: true });
  writeFileSync(
    join(home, file),
    `mode = "composer"
[x_api]
base_url = "${await sandbox.listen()}"
client_id = "${sandbox.app.clientId}"
plan = "enterprise"
[auth]
token_file = "${await signInAt(home, sandbox)}"
[storage]
db_path = "${join(home, "shared.db")}"
`,
  );
  const client = new Client({ name: "tester", version: "1" });
  const words = [...tuitbotCommand.args, ...options];
  const { command } = tuitbotCommand;
  try {
    await client.connect(
      new StdioClientTransport({
        command,
        args: [...words, "mcp", "serve"],
        env: cleanEnv(home),
        cwd: home,
        stderr: "pipe",
      }),
    );
    const call = async (name: string) =>
      (await client.callTool({ name, arguments: {} })).structuredContent as { readonly data: unknown };
    expect(await call("get_mode")).toMatchObject({ data: { mode: "composer", approval_mode: true } });

    const args = ["call", "x_post_tweet", "--json", JSON.stringify({ text: "From the command line." })];
    const ran = await promisify(execFile)(command, [...words, ...args], { env: cleanEnv(home), cwd: home });
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: true, data: { status: "queued" } });
    expect(await call("list_pending_approvals")).toMatchObject({
      data: { items: [{ params: { text: "From the command line." } }] },
    });
  } finally {
    await client.close();
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  }
});

test("get_discovery_feed returns scored posts, at least min_score and at most limit of them, best first", async () => {
  const desk = await openBakery({ config: { scoring: { threshold: 10 } } });
  try {
    for (const text of ["sourdough, which flour?", "my sourdough is flat", "sourdough again"])
      desk.sandbox.say(cast.stranger, text);
    desk.sandbox.clock.advance(60_000);
    await desk.call("find_reply_opportunities", { query: "sourdough", min_score: 0 });
    const scores = async (args: Record<string, number>) => {
      const { data } = await desk.call("get_discovery_feed", args);
      return (data as { readonly tweets: { readonly score_total: number }[] }).tweets.map(
        ({ score_total }) => score_total,
      );
    };
    const all = await scores({ min_score: 0 });
    expect(all.length).toBeGreaterThan(1);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(await scores({ min_score: 0, limit: 1 })).toEqual(all.slice(0, 1));
    const best = all[0] ?? 0;
    expect(await scores({ min_score: best })).toEqual(all.filter((score) => score >= best));
  } finally {
    await desk.close();
  }
});
