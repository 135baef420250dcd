import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Program } from "@toolpact/cli";
import { runInMemory } from "@toolpact/cli/testing";
import { ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import type { Machine } from "../src/cli/machine.ts";
import { program } from "../src/cli/program.ts";
import { testApp } from "./command-line.ts";
import { madeUpX, signIn } from "./made-up-x.ts";

const root = join(import.meta.dirname, "../../..");

const pages = ["README.md", "ARCHITECTURE.md", "packages/*/README.md", "docs/*.md"].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
);

/** Every command line that the pages show, without comments and the shell syntax around it. */
const lines = new Set(pages.flatMap((page) => commandsIn(readFileSync(join(root, page), "utf8"))));

function commandsIn(page: string): readonly string[] {
  const blocks = [...page.matchAll(/```(?:sh|console)\n(.*?)```/gs)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  // Headings name commands without their arguments.
  const inline = [...page.replace(/^#.*$/gm, "").matchAll(/`((?:npx )?tuitbot [^`\n]+)`/g)].map(
    ([, line = ""]) => line,
  );
  return [...blocks, ...inline]
    .map((line) => /(?:^|\$\()(?:npx )?(tuitbot .*)$/.exec(line.replace(/^\s*\$ /, ""))?.[1] ?? "")
    .map((line) =>
      line
        .replace(/\s+#.*$/, "")
        .replace(/(\)"| \|).*$/, "")
        .trim(),
    )
    .filter((line) => line !== "");
}

/** The words of a command line, without its quotes. */
function wordsOf(line: string): readonly string[] {
  const parts = line.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return parts.slice(1).map((part) => part.replace(/^(["'])(.*)\1$/s, "$2"));
}

/** The same commands, without what they do. */
function inert(command: Command<Machine>): Command<Machine> {
  return {
    ...command,
    ...(command.commands && { commands: command.commands.map(inert) }),
    ...(command.run && { run: async () => ok({ text: "understood", json: {} }) }),
  };
}

const commandNames = (program.commands ?? []).map(({ name }) => name);

test("commands to paste run in a checkout, where only npx finds ours", () => {
  // The reference says once that npx comes first.
  const bare = pages
    .filter((page) => page !== "docs/cli.md")
    .flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/```sh\n(.*?)```/gs)]
        .flatMap(([, block = ""]) => block.split("\n"))
        .filter((line) => /^(?:tuitbot|toolpact|godot-mcp-omni|x-sandbox|create-toolpact) /.test(line))
        .map((line) => `${page}: ${line}`),
    );
  expect(bare).toEqual([]);
});

test("the pages show every command", () => {
  const shown = new Set([...lines].map((line) => wordsOf(line)[0]));
  for (const name of commandNames) expect(shown, name).toContain(name);
});

test.each([...lines].filter((line) => commandNames.includes(wordsOf(line)[0] ?? "")))(
  "%s is understood",
  async (line) => {
    const understood: Program<Machine> = { ...program, commands: (program.commands ?? []).map(inert) };
    // Nothing of the machine is used by commands that do nothing.
    const ran = await runInMemory(understood, wordsOf(line), {} as Machine);
    // A sentence may name a command without its arguments.
    if (ran.code !== 0) expect(ran.err).toMatch(/^tuitbot: [A-Z]+ is missing\./);
  },
);

/** Commands that run until stopped, or prompt all the time. Each has separate tests. */
const ELSEWHERE = ["mcp serve", "serve", "run", "web", "sandbox", "demo", "init", "completion", "people add"];

const examples = examplesOf(program.commands ?? [], []);

function examplesOf(commands: readonly Command<Machine>[], path: readonly string[]): readonly string[] {
  return commands.flatMap((command) => {
    const here = [...path, command.name];
    const below = examplesOf(command.commands ?? [], here);
    return command.run === undefined || ELSEWHERE.includes(here.join(" "))
      ? below
      : [...command.examples.map(({ line }) => line), ...below];
  });
}

describe("every example of the help does what a person can understand", () => {
  test("of a signed-in account", { timeout: 120_000 }, async () => {
    await using desk = testApp();
    await using x = await madeUpX();
    await signIn(desk, x);
    expect(examples.length).toBeGreaterThan(40);
    for (const line of examples.filter((example) => !example.includes("auth logout"))) {
      const ran = await desk.run(wordsOf(line), { ...x.how, typed: () => "n" });
      // 1 where the example names something that is not there, such as item 7. The times in examples grow old.
      if (!ran.err.includes(" is in the past"))
        expect([0, 1], `${line}: ${ran.out}${ran.err}`).toContain(ran.code);
      if (ran.code === 1) expect(ran.err || ran.out, line).toMatch(/\w/);
      expect(ran.out + ran.err, line).not.toMatch(/undefined|\[object|\bNaN\b| at .*\.ts:\d+/);
    }
  });
});
