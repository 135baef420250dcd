import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";
import { signedInEnv } from "./signed-in-env.ts";

const FILES = [
  "TUITBOT_STORAGE__DB_PATH",
  "TUITBOT_APPROVALS__KEY_FILE",
  "TUITBOT_AUTH__TOKEN_FILE",
  "TUITBOT_CONFIG",
];
const PLACES = ["/proc/nope/x.db", "/dev/null/x.db", "/dev/full", "A FOLDER", "A FIFO"];
/** Without them a server reports why and ends, at the latest after its handshake. */
const NEEDED = ["TUITBOT_AUTH__TOKEN_FILE", "TUITBOT_CONFIG"];

/** A server that cannot write to its configured files. */
describe.each(FILES)("with %s", (setting) => {
  let home: string;
  let sandbox: Sandbox;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-odd-")));
    sandbox = new Sandbox({ start: Date.now(), realTime: Date.now });
    env = await signedInEnv(home, sandbox);
    mkdirSync(join(home, "folder"));
    execFileSync("mkfifo", [join(home, "fifo")]);
  });

  afterAll(async () => {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  });

  test.each(PLACES)("at %s a server answers or ends by itself, and ends on SIGTERM", async (place) => {
    // A server without a sign-in does not start at all, unless it has a database.
    const made = { "A FOLDER": join(home, "folder"), "A FIFO": join(home, "fifo") }[place];
    const values = { ...env, [setting]: made ?? place };
    const words = setting === "TUITBOT_AUTH__TOKEN_FILE" ? ["--profile", "utility-write"] : [];
    const transport = new StdioClientTransport({
      command: tuitbotCommand.command,
      args: [...tuitbotCommand.args, "mcp", "serve", ...words],
      env: cleanEnv(home, values),
      stderr: "pipe",
    });
    const client = new Client({ name: "tester", version: "1" });
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    const health = await client
      .connect(transport)
      .then(() => client.callTool({ name: "health_check", arguments: {} }))
      .catch(() => undefined);
    if (health === undefined) {
      expect(NEEDED).toContain(setting);
      return closed;
    }
    expect(health.structuredContent).toMatchObject({ success: true });
    const posted = await client.callTool({ name: "x_post_tweet", arguments: { text: "A loaf a day." } });
    // The operator has to act, and nothing suggests another attempt.
    if (setting === "TUITBOT_STORAGE__DB_PATH")
      expect(posted.structuredContent).toMatchObject({ error: { code: "db_error", fix_by: "operator" } });
    process.kill(transport.pid ?? 0, "SIGTERM");
    await closed;
  });
});
