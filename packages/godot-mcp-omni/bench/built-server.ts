import { join } from "node:path";
import { builtPackage } from "../../../scripts/build.ts";

let building: Promise<string> | undefined;

/** The command as installed by users: bundled. */
export function builtServer(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  const { folder } = await builtPackage("godot-mcp-omni");
  return join(folder, "bin/godot-mcp-omni.js");
}
