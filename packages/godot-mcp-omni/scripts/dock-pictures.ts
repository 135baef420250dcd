import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { systemClock } from "@toolpact/contract";
import { openDisplay } from "../src/game/display.ts";
import { startProcess } from "../src/godot/process.ts";
import { Project } from "../src/project/project.ts";
import { installAddon } from "../src/workspace/addon.ts";
import { displayGodot } from "../test/display-godot.ts";
import { childEnvironment, GAME, writeFiles } from "../test/server-project.ts";

/** Saves screenshots of the dock in an editor on a virtual display: `npx node --conditions=toolpact-source …`. */
const folder = join(import.meta.dirname, "../../../docs/pictures");
const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-dock-")));
const root = join(base, "game");
const godot = displayGodot ?? "";
const env = { ...childEnvironment(base), GODOT_PATH: godot };
writeFiles(base, { "home/.keep": "" });
writeFiles(root, GAME);
await installAddon(new Project(root, () => Date.now()));

const display = await openDisplay({
  choice: "virtual",
  godot,
  env,
  home: join(base, "home"),
  clock: systemClock,
});
if (!display.ok) throw new Error(display.failure.message);
const editor = startProcess(godot, {
  args: [...display.value.args, "--resolution", "1280x760", "--editor", "--path", root],
  env: { ...env, ...display.value.env, HOME: env.HOME ?? "" },
});
const client = new Client({ name: "claude-code", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [
      "--conditions=toolpact-source",
      join(import.meta.dirname, "../src/main.ts"),
      ...["--project", root, "--trust", "serve", "--toolsets", "all"],
    ],
    env,
    stderr: "inherit",
  }),
);
const call = async (name: string, args: Record<string, unknown>) => {
  const answer = await client.callTool({ name, arguments: args });
  const [text, picture] = answer.content as readonly { text?: string; data?: string }[];
  console.log(name, args.action, answer.isError === true ? text?.text : "done");
  return picture?.data;
};
const keep = async (name: string) => {
  // The dock checks the order twice a second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const png = await call("godot_editor", { action: "capture_viewport", view: "editor", maxSize: 1280 });
  writeFileSync(join(folder, name), Buffer.from(png ?? "", "base64"));
};
const scene = "res://main.tscn";
try {
  await call("godot_workspace", { action: "connect", timeoutMs: 60_000 });
  await call("godot_workspace", { action: "open_scene", scene });
  await call("godot_editor", { action: "switch_screen", screen: "2D" });
  await call("godot_scene", { action: "create", scene, type: "Area2D", name: "Goal", primitive: "circle" });
  await call("godot_code", {
    action: "script.create",
    path: "res://goal.gd",
    content:
      'extends Area2D\n\n\nfunc _ready() -> void:\n\tbody_entered.connect(func(_body: Node2D) -> void: print("won"))\n',
  });
  await call("godot_scene", { action: "attach_script", scene, node: "Goal", script: "res://goal.gd" });
  await call("godot_inspector", {
    action: "set_property",
    scene,
    node: "Goal",
    property: "position",
    value: [400, 200],
  });
  await keep("godot-dock.png");
} finally {
  await client.close();
  await editor.kill();
  display.value.close();
  rmSync(base, { recursive: true, force: true });
}
