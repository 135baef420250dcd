import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { errors } from "../src/errors.ts";
import { allTools } from "../src/tools/all.ts";
import { openTestServer } from "./server-project.ts";

const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");

const blocks = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

describe("the README", () => {
  it("has a block for clients that starts the server as the tests do", () => {
    const { mcpServers } = JSON.parse(blocks.find((block) => block.includes("mcpServers")) ?? "{}");
    expect(mcpServers.godot).toMatchObject({
      command: "npx",
      args: ["-y", "godot-mcp-omni", "--project", expect.any(String), "--trust", "serve"],
    });
  });

  it("starts from a checkout, and says of trust what the README of the repository says", () => {
    expect(readme).not.toContain("npm install -g");
    expect(readme).toContain("The package is not on npm yet; in a checkout, after `npm run build`");
    const front = readFileSync(path.join(import.meta.dirname, "../../../README.md"), "utf8");
    const [, block = "{}"] = /```json\n([\s\S]*?)```/.exec(front) ?? [];
    expect(JSON.parse(block).mcpServers.godot.args).toContain("--trust");
    expect(front).toContain("`--trust` says that the game is your own");
  });

  it.each(allTools.tools.map((tool) => [tool.name, tool] as const))("lists %s", (name, tool) => {
    const row = readme.split("\n").find((line) => line.startsWith(`| \`${name}\``));
    expect(row?.endsWith("| yes |")).toBe(tool.profiles.includes("default"));
  });

  it("lists the errors as they are", () => {
    for (const [code, { retryable }] of Object.entries(errors.rows))
      expect(readme).toMatch(new RegExp(`\\| \`${code}\` \\|.*\\| ${retryable ? "yes" : "no"} \\|`));
  });

  it("shows a workflow that runs", async () => {
    const workflow = JSON.parse(blocks.find((block) => block.includes("schemaVersion")) ?? "{}") as never;
    const { call } = openTestServer({ files: { "project.godot": "config_version=5\n" } });
    expect(await call("godot_workflow", { action: "run", workflow })).toMatchObject({ ok: true });
  });
});
