import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { connectingClient } from "../../packages/tuitbot/test/connecting-client.ts";
import { buildPage } from "../../packages/tuitbot-web/test/built-page.ts";
import { chromiumPath, openChromium } from "../../packages/tuitbot-web/test/chromium.ts";
import { REAL_CLIENTS } from "./client-table.ts";
import { type ClientMachine, converse, environment, newClientMachine } from "./drive-client.ts";
import { SIGN_IN_SERVERS, type SignInServerKind, signInIfAsked } from "./sign-in-server.ts";

/** Commands that add a server by URL and sign in. */
const COMMANDS: Readonly<Record<string, (program: string, url: string) => readonly (readonly string[])[]>> = {
  "claude-code": (program, url) => [
    [program, "mcp", "add", "--transport", "http", "tuitbot", url],
    // Signs in only at a terminal.
    ["script", "-qfec", `${program} mcp login tuitbot`, "/dev/null"],
  ],
  codex: (program, url) => [[program, "mcp", "add", "tuitbot", "--url", url]],
};

/** The published clients that sign in without a token. */
export const SIGN_IN_CLIENTS = REAL_CLIENTS.filter(({ id }) => COMMANDS[id] !== undefined);

/** The client of the official SDK, by its revision of the protocol. */
export const SDK_MODES = { "sdk-2025-11-25": "legacy", "sdk-2026-07-28": "auto" } as const;

type SdkClient = keyof typeof SDK_MODES;

export interface SignInReport {
  /** The result of a read, as the model saw it. */
  readonly read: string | undefined;
  /** The agents listed in the dashboard. */
  readonly agents: readonly { readonly name: string; readonly client: { readonly name: string } | null }[];
  /** The result of the same read after the owner revoked the client. */
  readonly revoked: string | undefined;
  readonly output: string;
  readonly folder: string;
}

const READ = { server: "tuitbot", tool: "x_get_user_by_username", input: { username: "sandbox_owner" } };

/** Adds tuitbot by its URL, signs in with Chromium, reads, and reads again after the owner revoked the client. */
async function signInClient(id: string, program: string, kind: SignInServerKind): Promise<SignInReport> {
  const folder = mkdtempSync(join(tmpdir(), `toolpact-sign-in-${id}-`));
  const home = join(folder, "home");
  mkdirSync(home);
  await buildPage();
  const server = await SIGN_IN_SERVERS[kind](home);
  const chromium = await openChromium(chromiumPath() ?? "");
  let client: SignedInClient | undefined;
  try {
    const page = await server.openPage(chromium);
    client = await (id in SDK_MODES
      ? newSdkClient(SDK_MODES[id as SdkClient], server.url, page)
      : newPublishedClient(id, program, { folder, url: server.url, page }));
    const read = await client.read("signed-in");
    await page.goto(server.url);
    const { agents } = (await command(page, "agents", {})) as Pick<SignInReport, "agents">;
    for (const { name } of agents) await command(page, "agent_revoke", { name });
    return { read, agents, revoked: await client.read("revoked"), output: client.output(), folder };
  } finally {
    await client?.close();
    await chromium.close();
    await server.stop();
  }
}

/** A client that is signed in. */
interface SignedInClient {
  /** The result of a read, as a model sees it. */
  readonly read: (name: string) => Promise<string | undefined>;
  readonly output: () => string;
  readonly close: () => Promise<void>;
}

async function newSdkClient(mode: "legacy" | "auto", url: string, page: Page): Promise<SignedInClient> {
  const made = await connectingClient(url, {
    ...{ name: "SDK", mode },
    open: ({ href }) => consent(page, href),
  });
  const client = await made.connect();
  return {
    async read() {
      const { tool: name, input } = READ;
      const called = client.callTool({ name, arguments: input });
      return called.then((result) => JSON.stringify(result.structuredContent), String);
    },
    output: () => "",
    async close() {
      await client.close().catch(() => {});
      await made.close();
    },
  };
}

async function newPublishedClient(
  id: string,
  program: string,
  { folder, url, page }: { readonly folder: string; readonly url: string; readonly page: Page },
): Promise<SignedInClient> {
  const client = REAL_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  const machine = await newClientMachine(client, program, folder);
  const output = await addAndSignIn(machine, url, page);
  return {
    read: async (name) => (await converse(machine, name, [READ])).results[0],
    output: () => output,
    close: async () => void machine.model.close(),
  };
}

async function addAndSignIn(machine: ClientMachine, url: string, page: Page): Promise<string> {
  const opened = join(machine.home, "opened");
  const bin = join(machine.home, "bin");
  mkdirSync(bin);
  for (const name of ["xdg-open", "browser"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$1" >> ${opened}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = environment(machine);
  const withBrowser = {
    ...env,
    ...machine.client.env(machine),
    PATH: `${bin}:${env.PATH}`,
    BROWSER: join(bin, "browser"),
  };
  let output = "";
  const commands = COMMANDS[machine.client.id]?.(machine.program, new URL("/mcp", url).href) ?? [];
  for (const [command = "", ...args] of commands) {
    const child = spawn(command, args, {
      cwd: machine.cwd,
      env: withBrowser,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part: Buffer) => {
        output += part;
      });
    const ended = once(child, "exit");
    const isOver = ended.then(() => true);
    while (!(await Promise.race([isOver, nextLook()])))
      if (existsSync(opened) && page.url() !== "" && !page.url().includes("connect"))
        await consent(page, readFileSync(opened, "utf8").trim().split("\n").at(-1) ?? "");
  }
  return output;
}

/** Looks for an opened URL a few times a second. */
function nextLook(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 300));
}

const decided = new Set<string>();

async function consent(page: Page, address: string): Promise<void> {
  if (address === "" || decided.has(address)) return;
  decided.add(address);
  await page.goto(address);
  await signInIfAsked(page);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.waitForURL((url) => !url.hash.startsWith("#/connect"));
}

function command(page: Page, name: string, args: object): Promise<unknown> {
  return page.evaluate(
    async ([path, body]) => {
      const { csrf_token } = (await (await fetch("/api/session")).json()) as { readonly csrf_token: string };
      const headers = { "content-type": "application/json", "x-tuitbot-csrf": csrf_token };
      return (await fetch(path, { method: "POST", headers, body })).json();
    },
    [`/api/commands/${name}`, JSON.stringify(args)] as const,
  );
}

// Runs in a network namespace that has only loopback: sign-in-client.ts CLIENT PROGRAM SERVER; prints the report as JSON.
if (import.meta.main) {
  const [id = "", program = "", kind = "SQLite"] = process.argv.slice(2);
  console.log(JSON.stringify(await signInClient(id, program, kind as SignInServerKind)));
}
