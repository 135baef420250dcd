import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Program } from "@toolpact/cli";
import { runInMemory } from "@toolpact/cli/testing";
import { ok } from "@toolpact/outcome";
import { expect, test } from "vitest";
import { program as toolpact } from "../packages/contract/src/command/program.ts";
import { program as godot } from "../packages/godot-mcp-omni/src/cli/program.ts";
import { program as xApi } from "../packages/x-api/src/cli/program.ts";
import { program as xSandbox } from "../packages/x-sandbox/src/cli/program.ts";
import { shownCommands } from "./docs-commands.ts";
import { packages, root } from "./packages.ts";

const shown = shownCommands();

const scriptsIn = (file: string): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(root, file), "utf8")).scripts);

test("every npm script of a page exists", () => {
  const scripts = [
    ...scriptsIn("package.json"),
    // The README of create-toolpact names those of the created server.
    ...scriptsIn("packages/create-toolpact/template/package.json.txt"),
  ];
  const missing = shown
    .filter(({ words: [program] }) => program === "npm")
    .filter(({ words: [, verb = "", script = ""] }) =>
      verb === "run" ? !scripts.includes(script) : !["install", "ci", ...scripts].includes(verb),
    );
  expect(missing).toEqual([]);
});

test("every program that a page starts with npx is ours or installed with this repository", () => {
  const ours = packages().flatMap(({ bins }) => bins);
  const installed = readdirSync(join(root, "node_modules/.bin"));
  const missing = shown
    .filter(({ words: [program, name] }) => program === "npx" && name !== "-y")
    .filter(({ words: [, name = ""] }) => ![...ours, ...installed].includes(name))
    .filter(({ words: [, name = ""] }) => !existsSync(join(root, "node_modules", name)));
  expect(missing).toEqual([]);
});

test("every file of this repository in a command of a page exists", () => {
  const missing = shown.flatMap(({ page, words }) =>
    words
      .filter((word) => /^(?:packages|scripts|docs)\//.test(word) && word !== "packages/my-server")
      .filter((word) => !existsSync(join(root, word)))
      .map((word) => `${page}: ${word}`),
  );
  expect(missing).toEqual([]);
});

test("scripts of a page run on the Node of this repository", () => {
  expect(shown.filter(({ words: [program] }) => program === "node")).toEqual([]);
});

/** Tuitbot's own test reads its commands. */
const PROGRAMS: Readonly<Record<string, Program<never>>> = {
  toolpact,
  "godot-mcp-omni": godot,
  "x-api": xApi,
  "x-sandbox": xSandbox,
};

const ofPrograms = shown
  .map(({ page, words }) => ({ page, words: words[0] === "npx" ? words.slice(1) : words }))
  .filter(({ words: [name = ""] }) => PROGRAMS[name] !== undefined);

test("the pages show commands of the gate and of Godot", () => {
  expect(ofPrograms.length).toBeGreaterThan(20);
});

test.each([...new Map(ofPrograms.map(({ words }) => [words.join(" "), words]))])(
  "%s is understood",
  async (_line, [name = "", ...rest]) => {
    const program = PROGRAMS[name] as Program<unknown>;
    // The words after `--` are a server's command line.
    const end = rest.indexOf("--");
    const own = end === -1 ? rest : rest.slice(0, end);
    const inertProgram = { ...program, commands: program.commands?.map(inert) ?? [] };
    const ran = await runInMemory(
      program.run === undefined ? inertProgram : { ...inertProgram, ...inert(program) },
      own,
      undefined,
    );
    // A sentence may name a command without its arguments.
    if (ran.code !== 0) expect(ran.err).toMatch(/ is missing\.| needs a value: /);
  },
);

/** The same commands without their work. */
function inert(command: Command<unknown>): Command<unknown> {
  return {
    ...command,
    ...(command.commands && { commands: command.commands.map(inert) }),
    ...(command.run && { run: async () => ok({ text: "understood", json: {} }) }),
  };
}
