import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { realGodot } from "./real-godot.ts";
import { childEnvironment, GAME, writeFiles } from "./server-project.ts";
import { startStdioServer } from "./stdio-server.ts";

const MAIN = "godot://scene/main.tscn";

function listener(mode: "auto" | "legacy") {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode } });
  const heard: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void heard.push(params.uri),
  );
  return { client, heard };
}

async function subscribe(client: Client, mode: "auto" | "legacy", uris: readonly string[]): Promise<void> {
  if (mode === "legacy") for (const uri of uris) await client.subscribeResource({ uri });
  else {
    const subscription = await client.listen({ resourceSubscriptions: [...uris] });
    onTestFinished(() => subscription.close());
  }
}

async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  const [content] = contents;
  return JSON.parse(content !== undefined && "text" in content ? String(content.text) : "null");
}

describe.each(["auto", "legacy"] as const)("a client (%s) of a project as files", (mode) => {
  test("reads scenes, is notified of changed scene files, and gets an error for resources that need an editor", async () => {
    const { client, heard } = listener(mode);
    const server = await startStdioServer({ client });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        "godot://selection",
        "godot://errors",
        "godot://output",
        "godot://error-codes",
      ]),
    );
    expect(await read(client, MAIN)).toMatchObject({
      scene: "res://main.tscn",
      mode: "files",
      root: { name: "Main", children: expect.arrayContaining([expect.objectContaining({ name: "Player" })]) },
    });
    mkdirSync(path.join(server.root, "levels"));
    await subscribe(client, mode, [MAIN, "godot://scene/levels%2Fone.tscn", "godot://selection"]);
    // By another program, and by a tool in another folder.
    await expect
      .poll(() => {
        writeFileSync(path.join(server.root, "main.tscn"), GAME["main.tscn"] ?? "");
        return heard;
      })
      .toContain(MAIN);
    await server.call("godot_scene", { action: "new", scene: "res://levels/one.tscn", type: "Node2D" });
    await expect.poll(() => heard).toContain("godot://scene/levels%2Fone.tscn");
    expect(await read(client, "godot://scene/levels%2Fone.tscn")).toMatchObject({ mode: "files" });
    for (const uri of ["godot://selection", "godot://errors", "godot://output"])
      await expect(read(client, uri)).rejects.toMatchObject({ data: { code: "E_NOT_CONNECTED" } });
    await expect(read(client, "godot://scene/none.tscn")).rejects.toMatchObject({
      data: { code: "E_NOT_FOUND" },
    });
    await expect(read(client, "godot://scene/..%2F..%2Fetc%2Fpasswd")).rejects.toMatchObject({
      data: { code: "E_PERMISSION_DENIED" },
    });
    await expect(read(client, "godot://scene/player.gd")).rejects.toMatchObject({
      data: { code: "E_SCHEMA_VALIDATION" },
    });
  });
});

describe.skipIf(realGodot === undefined)("a client of a real editor", () => {
  test("hears of the selection, of edits in its memory, and of errors that it prints", async () => {
    const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "godot-live-")));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const root = path.join(base, "game");
    writeFiles(root, {
      ...GAME,
      "loud.gd": '@tool\nextends Node\n\nfunc _ready() -> void:\n\tpush_error("said on purpose")\n',
      "loud.tscn":
        '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://loud.gd" id="1"]\n\n[node name="Loud" type="Node"]\nscript = ExtResource("1")\n',
    });
    await installAddon(new Project(root, () => 0));
    const { client, heard } = listener("auto");
    const env = { ...childEnvironment(base), GODOT_PATH: realGodot ?? "" };
    writeFiles(base, { "home/.keep": "" });
    const { call } = await startStdioServer({ root, client, env });
    await subscribe(client, "auto", [MAIN, "godot://selection", "godot://errors", "godot://output"]);
    const done = async (tool: string, args: Parameters<typeof call>[1]) =>
      expect(await call(tool, args)).toMatchObject({ ok: true });
    await done("godot_workspace", { action: "launch", headless: true, timeoutMs: 100_000 });
    await done("godot_workspace", { action: "open_scene", scene: "res://main.tscn" });
    const next = async (uri: string, work: () => Promise<void>) => {
      heard.length = 0;
      await work();
      await expect.poll(() => heard).toContain(uri);
      return read(client, uri);
    };
    const selected = await next("godot://selection", () =>
      done("godot_editor", { action: "select", nodes: ["Player"] }),
    );
    expect(selected).toEqual({ scene: "res://main.tscn", selection: ["Player"], unsaved: false });
    const tree = await next(MAIN, () =>
      done("godot_scene", { action: "create", type: "Node2D", name: "Live" }),
    );
    expect(tree).toMatchObject({ mode: "editor" });
    expect(JSON.stringify(tree)).toContain('"Live"');
    // A scene that is not in front is read from its file, and the editor stays where it is.
    expect(await read(client, "godot://scene/enemy.tscn")).toMatchObject({ mode: "files" });
    expect(await read(client, "godot://selection")).toMatchObject({ scene: "res://main.tscn" });
    const failed = await next("godot://errors", () =>
      done("godot_workspace", { action: "open_scene", scene: "res://loud.tscn" }),
    );
    expect(JSON.stringify(failed)).toContain("said on purpose");
    const printed = await next("godot://output", () =>
      done("godot_game", { action: "run", display: "none" }),
    );
    expect(printed).toMatchObject({ editor: { entries: expect.any(Array) }, games: [{ game: "game-1" }] });
  }, 200_000);
});
