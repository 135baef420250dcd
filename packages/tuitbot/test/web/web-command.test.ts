import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanEnv, tuitbotCommand } from "../live-server.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tuitbot-web-"));
});

const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  rmSync(home, { recursive: true, force: true });
});

/** Starts a command that serves; the first line that it prints is the answer. */
async function started(...words: readonly string[]): Promise<string> {
  const child = spawn(tuitbotCommand.command, [...tuitbotCommand.args, ...words], { env: cleanEnv(home) });
  running.push(child);
  let out = "";
  for await (const bytes of child.stdout) {
    out += bytes;
    if (out.includes("\n")) return out;
  }
  throw new Error("It ended before it served.");
}

async function signIn(link: URL): Promise<Response> {
  return fetch(new URL("/api/sign-in", link), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link: link.hash.replace("#signin=", "") }),
  });
}

test("tuitbot web shows the running sandbox, and signs one browser in with its link", async () => {
  await started("mcp", "serve", "--sandbox", "--http", "0", "--output", "json");
  // A server announces its sandbox soon after it serves.
  const running = () => globSync(join(home, ".tuitbot/sandboxes/*/running.json")).length;
  await expect.poll(running, { timeout: 20_000 }).toBe(1);
  const link = new URL(JSON.parse(await started("web", "--no-open", "--output", "json")).url);
  expect(link.hostname).toBe("127.0.0.1");
  const signedIn = await signIn(link);
  expect(await signedIn.json()).toMatchObject({ signed_in: true, role: "owner", is_sandbox: true });
  expect((await signIn(link)).status).toBe(401);
});

test("tuitbot web starts a sandbox if there is neither an account nor a sandbox", async () => {
  const link = new URL(JSON.parse(await started("web", "--no-open", "--output", "json")).url);
  expect(await (await signIn(link)).json()).toMatchObject({ signed_in: true, is_sandbox: true });
});
