import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signedInEnv } from "./signed-in-env.ts";
import { hasTerminal, tuitbotOnTerminal } from "./terminal.ts";

let home: string;
let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-person-")));
  sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
  env = await signedInEnv(home, sandbox);
});

afterEach(async () => {
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

const ENTER = "\r";
const DOWN = "\u001b[B";

test.runIf(hasTerminal)("init on a real terminal: every answer, down to the written file", async () => {
  const ended = await tuitbotOnTerminal(
    "init",
    [
      ["Keep the X app", ENTER],
      ["A new file", ""],
      ["Write this?", ENTER],
      ["Stay signed in", ENTER],
      ["dollars a day?", ENTER],
      ["dollars a month?", ENTER],
      ["Your time zone", ENTER],
      ["Times for posts", ENTER],
      ["Hours of the day", ENTER],
      ["Language model", ENTER],
      ["Read your last", `n`],
      ["Keywords", `bread, rye${ENTER}`],
      ["How you write", `plain${ENTER}`],
      ["What you post about", `Crumb${ENTER}`],
      ["one sentence", ENTER],
      ["Notify you", ENTER],
      ["Write this?", ENTER],
      ["Add tuitbot", `${DOWN}${DOWN}${ENTER}`],
      ["A first post", ENTER],
    ],
    home,
    env,
  );
  expect(ended.code, ended.out).toBe(0);
  expect(ended.out).toContain("Signed in as @sandbox_owner");
  expect(ended.out).toContain("Dry run: nothing was sent");
  const written = readFileSync(join(home, ".tuitbot/config.toml"), "utf8");
  expect(written).toContain('product_keywords = ["bread", "rye"]');
  expect(written).toContain('brand_voice = "plain"');
});

test.runIf(hasTerminal)("on 60 columns no line of a frame is longer than the terminal", async () => {
  const keys = [
    ["Keep the X app", ENTER],
    ["A new file", ""],
    ["Write this?", "\u0003"],
  ] as const;
  const { out } = await tuitbotOnTerminal("init", keys, home, env, 60);
  const lines = stripVTControlCharacters(out).split(/\r?\n|\r/);
  expect(lines.filter((line) => /^[│◇├╭╰]/.test(line) && [...line].length > 60)).toEqual([]);
});

test.runIf(hasTerminal)("Ctrl-C on a real terminal stops at once and leaves nothing", async () => {
  const ended = await tuitbotOnTerminal("init", [["Keep the X app", "\u0003"]], home, env);
  expect(ended.code, ended.out).toBe(130);
  expect(ended.out).toContain("Stopped.");
  expect(existsSync(join(home, ".tuitbot"))).toBe(false);
});
