import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { knownScopes, type Sandbox } from "@toolpact/x-sandbox";
import { saveAgent } from "../src/agents/agents.ts";
import { openStore } from "../src/storage/open-store.ts";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

/** An account of a server: its user and its X, and the other settings in its table. */
export interface TestAccount {
  readonly sandbox: Sandbox;
  readonly user?: string;
  readonly mediaRoot?: string;
  /** More lines of its table, or of the common settings for `default`. */
  readonly lines?: readonly string[];
}

/** One process of `mcp serve --http` that acts for several accounts. */
export interface AccountServer {
  readonly url: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gives an agent a token. */
  readonly addAgent: (name: string, accounts: readonly string[], profile?: string) => Promise<string>;
  readonly connect: (token: string, era?: "legacy" | "modern") => Promise<Client>;
  readonly said: () => string;
  readonly close: () => Promise<void>;
}

export const OPERATOR = "the-token-of-the-operator";

/** Serves the accounts, including `default`, on one database: that of the environment, or a new file. */
export async function serveAccounts(
  accounts: Readonly<Record<string, TestAccount>>,
  more: NodeJS.ProcessEnv = {},
  words: readonly string[] = [],
): Promise<AccountServer> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-accounts-")));
  const lines: string[] = [];
  const urls = new Map<Sandbox, string>();
  for (const [name, { sandbox, user, mediaRoot, lines: own = [] }] of Object.entries(accounts)) {
    const folder = join(home, name);
    mkdirSync(folder);
    const url = urls.get(sandbox) ?? (await sandbox.listen());
    urls.set(sandbox, url);
    const table = [
      ...own,
      `x_api.base_url = "${url}"`,
      `x_api.client_id = "${sandbox.app.clientId}"`,
      `x_api.bearer_token = "${sandbox.app.bearerToken}"`,
      'x_api.plan = "enterprise"',
      "x_api.ai_replies_agreed = true",
      "x_api.timeout_ms = 600000",
      `auth.token_file = ${JSON.stringify(signIn(folder, sandbox, user))}`,
      `media.roots = ${JSON.stringify([mediaRoot ?? folder])}`,
    ];
    if (name === "default") lines.unshift(...table);
    else lines.push(`[accounts.${name}]`, ...table);
  }
  const config = join(home, "config.toml");
  writeFileSync(config, lines.join("\n"));
  const env = cleanEnv(home, {
    TUITBOT_CONFIG: config,
    TUITBOT_SERVER__TOKEN: OPERATOR,
    TUITBOT_APPROVALS__KEY: "ab".repeat(32),
    TUITBOT_STORAGE__DB_PATH: join(home, "tuitbot.db"),
    ...more,
  });
  const child = spawn(
    tuitbotCommand.command,
    [...tuitbotCommand.args, "mcp", "serve", "--http", "0", "--output", "json", ...words],
    { env, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += String(part)));
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  if (child.exitCode !== null) throw new Error(`The server ended at once: ${said}`);
  const place = { path: env.TUITBOT_STORAGE__DB_PATH ?? "", url: env.TUITBOT_STORAGE__URL };
  return {
    url: JSON.parse(String(line)).url,
    home,
    env,
    said: () => said,
    async addAgent(name, accounts, profile = "admin") {
      const store = await openStore(place, { now: Date.now });
      if (!store.ok) throw store.failure;
      const none = { perDay: undefined, perMonth: undefined, subject: undefined, expiresAt: undefined };
      const agent = { name, profile, accounts, limits: [], ...none };
      const token = await saveAgent(store.value.db, agent, Date.now());
      await store.value.close();
      return token ?? "";
    },
    async connect(token, era = "modern") {
      const client = new Client(
        { name: "tester", version: "1" },
        {
          versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
        },
      );
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(JSON.parse(String(line)).url), { requestInit }),
      );
      return client;
    },
    async close() {
      await ended(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

function signIn(folder: string, sandbox: Sandbox, user: string | undefined): string {
  const file = join(folder, "tokens.json");
  const tokens = sandbox.signIn({ scopes: knownScopes, ...(user !== undefined && { user }) });
  const stored = {
    version: 1,
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_at: Date.now() + tokens.expiresInSeconds * 1_000,
    scopes: knownScopes,
  };
  writeFileSync(file, JSON.stringify(stored), { mode: 0o600 });
  return file;
}
