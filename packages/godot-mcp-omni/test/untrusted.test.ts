import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { EFFECTS, type JsonObject } from "@toolpact/contract";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { allTools } from "../src/tools/all.ts";
import { fakeEditor } from "./fake-editor.ts";
import { hostileProject, snapshot } from "./hostile-project.ts";
import { realGodot } from "./real-godot.ts";
import { SAMPLE_CALLS } from "./sample-calls.ts";
import { openTestServer } from "./server-project.ts";

const MODES = [undefined, "engine", "editor", "files"] as const;

/** Every action of every tool, in every mode that it takes. */
const CALLS: readonly { readonly tool: string; readonly args: JsonObject; readonly mutates: boolean }[] =
  SAMPLE_CALLS.flatMap(({ tool, args }) =>
    MODES.flatMap((mode) => {
      const parsed = allTools.get(tool)?.parse({ ...args, ...(mode !== undefined && { mode }) });
      if (parsed?.ok !== true) return [];
      return {
        tool,
        args: { ...args, ...(mode && { mode }) },
        mutates: EFFECTS[parsed.value.effect].mutates,
      };
    }),
  );

/** With the class reference, which takes seconds to write. */
const cache = mkdtempSync(path.join(os.tmpdir(), "godot-hostile-cache-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

function hostileServer(flags: Readonly<Record<string, string | boolean | undefined>>) {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-hostile-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const { files, marks, buildLibrary } = hostileProject(base);
  const server = openTestServer({
    files,
    flags: { godot: realGodot ?? "", trust: undefined, ...flags },
    env: { XDG_CACHE_HOME: cache },
  });
  const hasLibrary = buildLibrary(server.root);
  if (!hasLibrary) console.warn("\n!!! SKIPPED: there is no C compiler, so no native extension is tried.");
  return { ...server, marks, hasLibrary };
}

describe.runIf(realGodot !== undefined)("a project that nobody has trusted", () => {
  it("would run all of its code if it were trusted", { timeout: 240_000 }, async () => {
    const { call, marks, hasLibrary } = hostileServer({ trust: true });
    await call("godot_inspector", { action: "query", scene: "res://main.tscn", mode: "engine" });
    await call("godot_game", { action: "run", display: "none" });
    expect(marks()).toEqual(
      expect.arrayContaining([
        "autoload-init",
        "built-in-static",
        "import-plugin-init",
        "override-init",
        "plugin-static",
        "resource-loader-init",
        "resource-script-init",
        "scene-script-static",
        ...(hasLibrary ? ["native-constructor", "native-entry"] : []),
      ]),
    );
  });

  it("is read from its files, and says the command that trusts it where only Godot can do it", {
    timeout: 240_000,
  }, async () => {
    const { call, root, marks } = hostileServer({});
    expect(
      await call("godot_inspector", { action: "query", scene: "res://main.tscn", group: "heroes" }),
    ).toMatchObject({
      ok: true,
      execution: { mode: "files" },
    });
    const command = `godot-mcp-omni trust ${root}`;
    const refused = {
      error: {
        code: "E_PERMISSION_DENIED",
        details: { gate: "TRUST", command },
        suggestedFix: expect.stringContaining(command),
      },
    };
    for (const [tool, args] of [
      ["godot_inspector", { action: "scene_tree.get", scene: "res://main.tscn", mode: "engine" }],
      ["godot_inspector", { action: "method_list", class: "Sprite2D" }],
      ["godot_diagnostics", { action: "scripts" }],
      ["godot_game", { action: "run" }],
      ["godot_test", { action: "run" }],
      ["godot_workspace", { action: "launch", headless: true }],
      ["godot_workspace", { action: "get_state" }],
    ] as const)
      expect(await call(tool, args), `${tool} ${args.action}`).toMatchObject(refused);
    expect(marks()).toEqual([]);
  });

  it("runs nothing and is not written to by a read-only server, whatever is called", {
    timeout: 240_000,
  }, async () => {
    const { call, marks, root } = hostileServer({ "read-only": true });
    const before = snapshot(root);
    for (const { tool, args } of CALLS) {
      await call(tool, args);
      expect(marks(), `${tool} ${JSON.stringify(args)}`).toEqual([]);
    }
    expect(snapshot(root)).toEqual(before);
  });

  it("runs no project code, and reading writes only the audit log", { timeout: 240_000 }, async () => {
    const { call, marks, root } = hostileServer({});
    const before = snapshot(root);
    for (const { tool, args } of CALLS.filter(({ mutates }) => !mutates)) {
      await call(tool, args);
      expect(marks(), `${tool} ${JSON.stringify(args)}`).toEqual([]);
    }
    const after = Object.entries(snapshot(root)).filter(([file]) => !file.startsWith(".godot_mcp"));
    expect(Object.fromEntries(after)).toEqual(before);
  });

  it("asks nothing of an editor that is open on it, unlike one of a trusted project", {
    timeout: 240_000,
  }, async () => {
    const withEditor = async (trust: true | undefined) => {
      const server = hostileServer({ trust, "allow-dangerous-ops": true, "allow-external-tools": true });
      const { editors, folder } = await server.openBridge();
      const editor = await fakeEditor(folder, undefined, { project: server.root });
      await expect.poll(() => editors()).toHaveLength(1);
      const asked: JsonObject[] = [];
      void (async () => {
        for (;;) {
          const { id } = await editor.next();
          if (id === undefined) continue;
          asked.push({ id });
          editor.send({ id, ok: false, error: { code: "E_NOT_FOUND", message: "Nothing is there." } });
        }
      })();
      return { ...server, asked };
    };
    const trusted = await withEditor(true);
    await trusted.call("godot_inspector", { action: "query", scene: "res://main.tscn" });
    expect(trusted.asked).not.toEqual([]);

    const { call, asked } = await withEditor(undefined);
    for (const { tool, args } of CALLS)
      if (args.mode === undefined || args.mode === "editor") await call(tool, args);
    expect(asked).toEqual([]);
  });

  it("runs no project code while it is edited, even with every gate open", { timeout: 240_000 }, async () => {
    const { call, marks, root } = hostileServer({
      "allow-dangerous-ops": true,
      "allow-external-tools": true,
    });
    const godotFiles = () =>
      Object.entries(snapshot(root)).filter(([file]) => /^\.godot\/|\.uid$/.test(file));
    const before = godotFiles();
    for (const { tool, args } of CALLS) {
      await call(tool, args);
      expect(marks(), `${tool} ${JSON.stringify(args)}`).toEqual([]);
    }
    expect(godotFiles()).toEqual(before);
  });
});
