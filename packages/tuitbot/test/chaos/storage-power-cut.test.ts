import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cleanEnv, type Envelope } from "../live-server.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { postedBy } from "../storage/world.ts";
import { doomedProgram } from "./doomed-program.ts";
import type { Death } from "./order.ts";
import { canWatchDisk, type FragileDisk, fragileDisk } from "./storage-power-cut.ts";

let program: readonly string[];
let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let disk: FragileDisk;
let aheadMs = 0;

beforeAll(async () => {
  program = await doomedProgram();
}, 300_000);

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "tuitbot-cut-")));
  sandbox = new Sandbox({
    plan: "enterprise",
    size: { people: 8, posts: 10 },
    start: Date.now(),
    realTime: Date.now,
  });
  await mkdir(join(home, "store"));
  env = {
    ...(await signedInEnv(home, sandbox)),
    TUITBOT_APPROVAL_MODE: "false",
    TUITBOT_MCP_POLICY__ENFORCE_FOR_MUTATIONS: "false",
  };
  if (canWatchDisk) disk = await fragileDisk(join(home, "store"));
  aheadMs = 0;
});

afterEach(async () => {
  await sandbox.close();
  await disk?.remove();
  await rm(home, { recursive: true, force: true });
});

const NEVER: Death = { kind: "never" };

/** A call by a separate process; undefined if it was killed. */
function post(args: object, death: Death): Promise<Envelope | undefined> {
  const words = ["call", "x_post_tweet", "--json", JSON.stringify(args), "--output", "json"];
  const child = spawn(process.execPath, [...program, ...words, "--profile", "write"], {
    env: cleanEnv(home, {
      ...env,
      ...disk.env,
      CHAOS_DOOM: JSON.stringify({ death, clockAheadMs: aheadMs }),
    }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (bytes: Buffer) => (out += bytes));
  return new Promise((resolve) =>
    child.once("close", (_, signal) => resolve(signal === "SIGKILL" ? undefined : JSON.parse(out))),
  );
}

const texts = () => postedBy(sandbox).map(({ text }) => text);

/** Longer than any lease, and than X takes to show what it has. */
function later(): void {
  aheadMs += 31 * 60_000;
  sandbox.clock.advance(31 * 60_000);
}

describe.skipIf(!canWatchDisk)("a power cut", () => {
  const args = { text: "Said once", idempotency_key: "cut" };

  test.each(["under way", "answered"] as const)(
    "with the request %s: the same call again sends nothing and has the first answer",
    { timeout: 60_000 },
    async (when) => {
      expect(await post(args, { kind: "request", number: 1, when })).toBeUndefined();
      expect(texts()).toEqual(["Said once"]);
      await disk.cutPower();
      later();
      const again = await post(args, NEVER);
      expect(again).toMatchObject({ success: true, data: { id: postedBy(sandbox)[0]?.id } });
      expect(texts()).toEqual(["Said once"]);
    },
  );

  test("before the request leaves: the same call again sends it", { timeout: 60_000 }, async () => {
    expect(await post(args, { kind: "request", number: 1, when: "before" })).toBeUndefined();
    await disk.cutPower();
    later();
    expect(await post(args, NEVER)).toMatchObject({ success: true });
    expect(texts()).toEqual(["Said once"]);
  });
});
