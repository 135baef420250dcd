import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../src/config/load.ts";
import type { Profile } from "../src/profiles.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { skillsFor } from "../src/server/resources.ts";
import {
  cleanEnv,
  type Envelope,
  type LiveServer,
  queuedItem,
  serveLive,
  tuitbotCommand,
} from "./live-server.ts";

/** The skills of the package, carried out call by call on the sandbox as an agent would that follows them. */

const files = globSync(join(import.meta.dirname, "../skills/*/SKILL.md"));
const skills = files.map((file) => ({ name: basename(dirname(file)), text: readFileSync(file, "utf8") }));

interface Step {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

function stepsOf(text: string): readonly Step[] {
  return [...text.matchAll(/```json\n(.*?)```/gs)].map(([, block = ""]) => JSON.parse(block));
}

let server: LiveServer;

beforeAll(async () => {
  server = await serveLive(["--sandbox"]);
});

afterAll(() => server.close());

describe.each(skills)("$name", ({ name, text }) => {
  test("says when to use it in the members that every client reads", () => {
    const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    const members = Object.fromEntries(head.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    expect(Object.keys(members)).toEqual(["name", "description", "license"]);
    expect(members.name).toBe(name);
    expect(members.description).toMatch(/Use it when/);
    expect(members.description?.length).toBeLessThanOrEqual(1024);
  });

  test("names only tools that there are", async () => {
    const { tools } = await server.client.listTools();
    const known = tools.map((tool) => tool.name);
    for (const { tool } of stepsOf(text)) expect(known).toContain(tool);
  });

  test("works step by step", async () => {
    const steps = stepsOf(text);
    expect(steps.length).toBeGreaterThan(2);
    const seen: Record<string, unknown> = {
      TEXT: `Our starter turns ten this week (${name}).`,
      KEY: `skill-${name}`,
    };
    for (const { tool, arguments: args } of steps) {
      const answer = await server.call(tool, filled(args, seen));
      expect(answer.error, tool).toBeUndefined();
      remember(tool, answer, seen);
    }
    if (name === "post-safely" || name === "reply-to-mentions")
      expect(seen.queued).toEqual([expect.any(Number)]);
  });
});

describe.each(["legacy", "auto"] as const)("to a client of the era %s", (mode) => {
  test("they are listed, and read as they were listed", async () => {
    const client = new Client({ name: "reader", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({
        command: tuitbotCommand.command,
        args: [...tuitbotCommand.args, "mcp", "serve", "--sandbox"],
        env: cleanEnv("/nowhere"),
        stderr: "pipe",
      }),
    );
    try {
      const served = new SkillsClient(client);
      const { skills: listed } = await served.list();
      expect(listed.map(({ frontmatter }) => frontmatter.name).sort()).toEqual(
        skills.map(({ name }) => name).sort(),
      );
      // The client compares size, digest and frontmatter with what the list said.
      for (const skill of listed) expect(await served.read(skill)).toMatchObject({ verified: true });
      await expect(served.get("skill://nothing/SKILL.md")).rejects.toThrow("There is no skill at");
    } finally {
      await client.close();
    }
  });
});

test("a profile that lacks a step of a skill does not offer it", () => {
  const names = (profile: Profile) => skillsFor(catalogFor(profile)).map(({ name }) => name);
  expect(names("readonly")).toEqual([]);
  expect(names("admin")).toHaveLength(skills.length);
});

test("the lines of write-policy are a configuration", async () => {
  const text = skills.find(({ name }) => name === "write-policy")?.text ?? "";
  const [, toml = ""] = /```toml\n(.*?)```/s.exec(text) ?? [];
  const home = mkdtempSync(join(tmpdir(), "tuitbot-skills-"));
  try {
    const file = join(home, "config.toml");
    writeFileSync(file, toml.replace(/^ {3}/gm, ""));
    const loaded = await loadConfig({ argument: file, env: {}, home, cwd: home });
    expect(loaded).toMatchObject({
      ok: true,
      value: { values: { budget: { max_usd_per_day: 2 }, mcp_policy: { rules: { length: 2 } } } },
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

/** Replaces words in capitals by values that the agent has by now. */
function filled(args: Step["arguments"], seen: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (name === "id") return [name, seen.DRAFT];
      const isWord = typeof value === "string" && /^[A-Z ]+$/.test(value);
      if (isWord) expect(seen, String(value)).toHaveProperty([value]);
      return [name, isWord ? seen[value] : value];
    }),
  );
}

function remember(tool: string, answer: Envelope, seen: Record<string, unknown>): void {
  // The tools' own tests check their answers.
  const data = answer.data as {
    readonly draft_id?: number;
    readonly posts?: readonly { readonly id: string; readonly author?: string }[];
  };
  if (tool === "create_draft") seen.DRAFT = data.draft_id;
  if (tool === "x_get_user_mentions") {
    seen.MENTION = data.posts?.[0]?.id;
    seen.AUTHOR = data.posts?.[0]?.author;
  }
  const item = queuedItem(answer);
  if (item !== undefined) seen.queued = [...((seen.queued as number[]) ?? []), item];
}
