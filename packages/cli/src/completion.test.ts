import { execFileSync } from "node:child_process";
import { ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import { commandFor } from "./command.ts";
import { completionScript, shells } from "./completion.ts";
import { commonOptions, type Program } from "./program.ts";

const command = commandFor<undefined, typeof commonOptions>();

const program: Program<undefined> = {
  name: "hello",
  version: "1",
  describe: "",
  globalOptions: commonOptions,
  examples: [],
  commands: [
    {
      name: "deep",
      describe: "",
      examples: [],
      commands: [
        command({
          name: "greet",
          describe: "",
          args: { where: { describe: "", required: false, choices: ["home", "work"] } },
          options: { tone: { kind: "value", placeholder: "T", describe: "", choices: ["warm", "cold"] } },
          examples: [],
          run: async () => ok(undefined),
        }),
      ],
    },
  ],
};

describe("bash", () => {
  test.each([
    ["hello ", "deep --output --help --version"],
    ["hello d", "deep"],
    ["hello --output json deep ", "greet --output --help --version"],
    ["hello deep greet ", "home work --output --help --version --tone"],
    ["hello deep greet --tone ", "warm cold"],
    ["hello deep greet --output j", "json"],
  ])("%s", (line, offered) => {
    expect(completedByBash(line)).toBe(offered);
  });
});

test("every script has the program, its commands, and no placeholder", () => {
  for (const shell of shells) {
    const script = completionScript(program, shell);
    expect(script).toContain("deep greet");
    expect(script).not.toMatch(/undefined|\[object/);
  }
});

function completedByBash(line: string): string {
  const words = line.split(" ");
  const script = `${completionScript(program, "bash")}
COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})
COMP_CWORD=${words.length - 1}
_hello
echo "\${COMPREPLY[*]}"`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim();
}
