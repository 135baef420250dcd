import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import type { JsonObject } from "@toolpact/contract";
import { expect, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { startStdioServer } from "./stdio-server.ts";

/** The skills of the package, carried out call by call on a real Godot as an agent would that follows them. */
const files = globSync(join(import.meta.dirname, "../skills/*/SKILL.md"));
const skills = files.map((file) => ({ name: basename(dirname(file)), text: readFileSync(file, "utf8") }));

interface Step {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const stepsOf = (text: string): readonly Step[] =>
  [...text.matchAll(/```json\n(.*?)```/gs)].map(([, block = ""]) => JSON.parse(block));

const PROJECT = 'config_version=5\n\n[application]\nconfig/name="Skills"\n';
/** The mistake that fix-an-error is about. */
const BROKEN =
  "extends Node\n\nvar speed := 3.0\n\n\nfunc _process(delta: float) -> void:\n\tprint(speeed * delta)\n";

test("there are the skills that the README names, each with the members that every client reads", () => {
  expect(skills.map(({ name }) => name).sort()).toEqual([
    "build-and-run-a-scene",
    "fix-an-error",
    "make-a-dialogue",
    "make-a-menu",
    "make-a-platformer",
    "make-a-top-down-shooter",
    "make-save-games",
    "run-the-tests",
  ]);
  for (const { name, text } of skills) {
    const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    const members = Object.fromEntries(head.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    expect(members).toMatchObject({
      name,
      license: "MIT",
      description: expect.stringMatching(/Use it when/),
    });
    expect(readFileSync(join(import.meta.dirname, "../README.md"), "utf8")).toContain(
      `skills/${name}/SKILL.md`,
    );
  }
});

test.skipIf(realGodot === undefined)(
  "every skill works step by step on a real Godot, with the tools that are offered from the start",
  { timeout: 300_000 },
  async () => {
    // One project and one Godot for all: the mistake is fixed before the others begin.
    const { call } = await startStdioServer({
      files: { "project.godot": PROJECT, "broken.gd": BROKEN },
      env: { GODOT_PATH: realGodot ?? "", ALLOW_GAME_CODE: "true" },
      toolsets: [],
    });
    const isMending = ({ name }: { readonly name: string }) => name === "fix-an-error";
    for (const { name, text } of [
      ...skills.filter(isMending),
      ...skills.filter((skill) => !isMending(skill)),
    ]) {
      const results: JsonObject[] = [];
      for (const { tool, arguments: args } of stepsOf(text)) {
        const answer = await call(tool, args);
        expect(answer.error, `${name}: ${tool} ${args.action}`).toBeNull();
        results.push({ summary: answer.summary, ...answer.result });
        if (tool === "godot_game" && args.action === "errors")
          expect(answer.result, name).toMatchObject({ errors: [] });
      }
      expect(results.length).toBeGreaterThan(2);
      if (name === "fix-an-error") expect([results[0]?.errors, results.at(-1)?.errors]).toEqual([1, 0]);
      if (name === "run-the-tests") expect(results.at(-1)?.summary).toMatch(/1 passed/);
    }
  },
);

test.each(["legacy", "auto"] as const)(
  "a client of the era %s lists them, and reads what was listed",
  async (mode) => {
    const client = new Client({ name: "reader", version: "1" }, { versionNegotiation: { mode } });
    await startStdioServer({ client });
    const served = new SkillsClient(client);
    const { skills: listed } = await served.list();
    expect(listed.map(({ frontmatter }) => frontmatter.name).sort()).toEqual(
      skills.map(({ name }) => name).sort(),
    );
    for (const skill of listed) expect(await served.read(skill)).toMatchObject({ verified: true });
  },
);

test("a server that only reads offers none", async () => {
  const { client } = await startStdioServer({ args: ["--read-only"] });
  const { resources } = await client.listResources();
  expect(resources.filter(({ uri }) => uri.startsWith("skill:"))).toEqual([]);
});
