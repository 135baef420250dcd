import { join } from "node:path";
import { buildCommand } from "../../../scripts/build.ts";
import { packages } from "../../../scripts/packages.ts";

let building: Promise<string> | undefined;

/** The command as installed by users: bundled. */
export function builtServer(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  const godot = packages().find(({ name }) => name === "godot-mcp-omni");
  if (godot === undefined) throw new Error("packages/godot-mcp-omni is missing.");
  await buildCommand(godot);
  return join(godot.folder, "bin/godot-mcp-omni.js");
}
