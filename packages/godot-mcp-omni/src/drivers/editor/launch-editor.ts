import { join } from "node:path";
import type { GodotBinary } from "../../godot/binary.ts";
import { cacheFolder, type Environment, editorEnvironment } from "../../godot/environment.ts";
import { type GodotProcess, startProcess } from "../../godot/process.ts";

export interface LaunchOptions {
  readonly binary: GodotBinary;
  readonly project: string;
  readonly env: Environment;
  /** Folder of `meetingPlace`, passed to the editor to make both use the same one. */
  readonly bridgeFolder: string;
  readonly headless?: boolean;
  /** Whether the editor stays open when this server ends. */
  readonly outlive?: boolean;
}

/** Starts the editor on a project. It connects to the bridge by itself if the addon is enabled. */
export function launchEditor(options: LaunchOptions): GodotProcess {
  const home = join(cacheFolder(options.env, process.platform), "home");
  return startProcess(options.binary.path, {
    args: [...(options.headless ? ["--headless"] : []), "--editor", "--path", options.project],
    env: { ...editorEnvironment(options.env, home), GODOT_MCP_BRIDGE_DIR: options.bridgeFolder },
    ...(options.outlive && { outlive: true }),
  });
}
