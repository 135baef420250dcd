import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "@toolpact/contract";
import { onTestFinished } from "vitest";
import { type Bridge, openBridge } from "../src/drivers/editor/bridge.ts";
import { launchEditor } from "../src/drivers/editor/launch-editor.ts";
import { createEngine } from "../src/drivers/engine/engine.ts";
import type { GodotBinary } from "../src/godot/binary.ts";
import { addonFolder } from "../src/godot/package-folder.ts";
import type { GodotProcess } from "../src/godot/process.ts";
import type { RawGodotDriver } from "../src/operations/driver.ts";

export const START_MS = 120_000;

/** A project in a temporary folder. */
export interface TestProject {
  readonly folder: string;
  readonly home: string;
  /** For children: a home and a meeting place that no other test shares. */
  readonly env: Readonly<Record<string, string | undefined>>;
  path(file: string): string;
  write(file: string, text: string): void;
}

export function makeProject(
  files: Readonly<Record<string, string>> = {},
  later: (undo: () => void | Promise<void>) => void = onTestFinished,
): TestProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-test-")));
  later(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, "project");
  const home = join(base, "home");
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write(
    "project.godot",
    `config_version=5

[application]

config/name="Test"
config/features=PackedStringArray("4.6")

[editor]

run/main_run_args="--headless"

[editor_plugins]

enabled=PackedStringArray("res://addons/godot_mcp_bridge/plugin.cfg")
`,
  );
  cpSync(addonFolder, join(folder, "addons/godot_mcp_bridge"), { recursive: true });
  for (const [file, text] of Object.entries(files)) write(file, text);
  mkdirSync(home);
  return {
    folder,
    home,
    env: { PATH: process.env.PATH, HOME: home, GODOT_MCP_BRIDGE_DIR: join(base, "bridge") },
    path: (file) => join(folder, file),
    write,
  };
}

export function binaryAt(path: string | undefined): GodotBinary {
  return { path: path ?? "", version: "4.6.3.stable", origin: "GODOT_PATH" };
}

export function engineFor(
  project: TestProject,
  binary: GodotBinary,
  later: (undo: () => void | Promise<void>) => void = onTestFinished,
): RawGodotDriver {
  const engine = createEngine({
    binary,
    project: project.folder,
    env: project.env,
    home: project.home,
  });
  later(() => engine.close());
  return engine;
}

export interface RunningEditor {
  readonly bridge: Bridge;
  readonly editor: RawGodotDriver;
  readonly process: GodotProcess;
}

export async function editorFor(
  project: TestProject,
  binary: GodotBinary,
  later: (undo: () => void | Promise<void>) => void = onTestFinished,
): Promise<RunningEditor> {
  const folder = project.env.GODOT_MCP_BRIDGE_DIR ?? "";
  const bridge = await openBridge({ folder, clock: systemClock });
  later(() => bridge.close());
  const process = launchEditor({
    binary,
    project: project.folder,
    env: project.env,
    bridgeFolder: folder,
    headless: true,
  });
  later(async () => {
    await process.kill();
  });
  const editor = await bridge.waitForEditor(project.folder, { timeoutMs: START_MS });
  if (!editor.ok) throw new Error(`The editor did not connect.\n${process.output.slice(-20).join("\n")}`);
  return { bridge, editor: editor.value, process };
}
