import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";

/** The server of a plugin, started in the plugin's folder as clients do, and a person's project elsewhere. */
async function plugin(env: (project: string) => Record<string, string>) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-plugin-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, project] = [path.join(base, "plugin"), path.join(base, "work/game")];
  writeFiles(base, { "home/.keep": "", "plugin/plugin.json": "{}" });
  writeFiles(project, GAME);
  const client = new Client({ name: "tester", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["--conditions=toolpact-source", path.join(import.meta.dirname, "../src/main.ts"), "serve"],
      env: { ...childEnvironment(base), GODOT_PATH: "", PLUGIN_ROOT: root, PWD: root, ...env(project) },
      cwd: root,
      stderr: "inherit",
    }),
  );
  onTestFinished(() => client.close());
  const info = async (meta: object = {}) => {
    const { content } = await client.callTool({
      name: "godot_project",
      arguments: { action: "project_info.get" },
      _meta: { ...meta },
    });
    const [block] = content as readonly { text: string }[];
    return JSON.parse(block?.text ?? "{}") as { ok: boolean; result?: { name: string } };
  };
  return { info, project };
}

it("works in the person's folder that PWD names, if it is started in a plugin's folder", async () => {
  const { info } = await plugin((project) => ({ PWD: path.join(project) }));
  expect(await info()).toMatchObject({ ok: true, result: { name: "Game" } });
});

it("works in the person's folder, if it is started in an extension's folder without a project", async () => {
  const { info } = await plugin((project) => ({ PLUGIN_ROOT: "", PWD: path.join(project) }));
  expect(await info()).toMatchObject({ ok: true, result: { name: "Game" } });
});

it("works in the folder that the client names with the call, if it was started without a project", async () => {
  const { info, project } = await plugin(() => ({}));
  expect(await info()).toMatchObject({ ok: false, error: { code: "E_NOT_FOUND" } });
  const named = { "x-codex-turn-metadata": { workspaces: { [project]: {} } } };
  expect(await info(named)).toMatchObject({ ok: true, result: { name: "Game" } });
  const asText = { "x-codex-turn-metadata": JSON.stringify({ workspaces: { [project]: {} } }) };
  expect(await info(asText)).toMatchObject({ ok: true, result: { name: "Game" } });
});
