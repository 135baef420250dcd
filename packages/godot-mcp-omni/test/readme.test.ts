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
      command: "node",
      args: [
        "/path/to/toolpact/packages/godot-mcp-omni/bin/godot-mcp-omni.js",
        "--project",
        expect.any(String),
        "serve",
      ],
    });
  });

  it("gives no trust in a configuration to paste, and neither does docs/install.md", () => {
    const install = readFileSync(path.join(import.meta.dirname, "../../../docs/install.md"), "utf8");
    for (const page of [readme, install]) {
      const [, block = "{}"] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
      expect(JSON.parse(block).mcpServers.godot.args).not.toContain("--trust");
      expect(page).toMatch(/godot-mcp-omni trust [~/]/);
    }
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
