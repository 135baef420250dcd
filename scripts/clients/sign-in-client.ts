import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Served, serve } from "../../packages/tuitbot/test/web/served.ts";
import { buildPage } from "../../packages/tuitbot-web/test/built-page.ts";
import { chromiumPath, openChromium } from "../../packages/tuitbot-web/test/chromium.ts";
import { REAL_CLIENTS } from "./client-table.ts";
import { type ClientMachine, converse, environment, newClientMachine } from "./drive-client.ts";

/** Commands that add a server by URL and sign in. */
const COMMANDS: Readonly<Record<string, (program: string, url: string) => readonly (readonly string[])[]>> = {
  "claude-code": (program, url) => [
    [program, "mcp", "add", "--transport", "http", "tuitbot", url],
    // Signs in only at a terminal.
    ["script", "-qfec", `${program} mcp login tuitbot`, "/dev/null"],
  ],
  codex: (program, url) => [[program, "mcp", "add", "tuitbot", "--url", url]],
};

/** The clients that sign in without a token. */
export const SIGN_IN_CLIENTS = REAL_CLIENTS.filter(({ id }) => COMMANDS[id] !== undefined);

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

const READ = [{ server: "tuitbot", tool: "x_search_tweets", input: { query: "sourdough" } }];

/** Adds tuitbot by its URL, signs in with Chromium, reads, and reads again after the owner revoked the client. */
async function signInClient(id: string, program: string): Promise<SignInReport> {
  const client = REAL_CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  const folder = mkdtempSync(join(tmpdir(), `toolpact-sign-in-${id}-`));
  const machine = await newClientMachine(client, program, folder);
  await buildPage();
  const served = await serve(machine.home);
  const chromium = await openChromium(chromiumPath() ?? "");
  try {
    const page = await chromium.newPage();
    await page.goto(`${served.url}#signin=${served.link}`);
    await page.locator(".app").waitFor();
    const output = await addAndSignIn(machine, served, page);
    const { results } = await converse(machine, "signed-in", READ);
    const agents = await agentsOn(page, served);
    for (const { name } of agents) await command(page, "agent_revoke", { name });
    const after = await converse(machine, "revoked", READ);
    return { read: results[0], agents, revoked: after.results[0], output, folder };
  } finally {
    await chromium.close();
    await served.stop();
    machine.model.close();
  }
}

async function addAndSignIn(machine: ClientMachine, { url }: Served, page: Page): Promise<string> {
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
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.waitForURL((url) => !url.hash.startsWith("#/connect"));
}

async function agentsOn(page: Page, { url }: Served): Promise<SignInReport["agents"]> {
  await page.goto(url);
  const { agents } = (await command(page, "agents", {})) as { agents: SignInReport["agents"] };
  return agents;
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

// Runs in a network namespace that has only loopback: sign-in-client.ts CLIENT PROGRAM; prints the report as JSON.
if (import.meta.main) {
  const [id = "", program = ""] = process.argv.slice(2);
  console.log(JSON.stringify(await signInClient(id, program)));
}
