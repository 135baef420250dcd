import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@toolpact/contract";
import type { OkEnvelope } from "@toolpact/contract/internal";
import { readSettings } from "../src/config/settings.ts";
import { Project } from "../src/project/project.ts";
import { createCore } from "../src/server/core.ts";
import { installAddon } from "../src/workspace/addon.ts";

export type Call = (tool: string, args: JsonObject) => Promise<OkEnvelope>;

export interface RunServerOptions {
  /** The Godot to use; none if undefined. */
  readonly godot: string | undefined;
  /** Whether to open an editor too. */
  readonly withEditor: boolean;
  /** Writes the project. */
  readonly write: (root: string) => void;
}

/** A server in this process on a project in a temporary folder. */
export async function withRunServer<T>(
  { godot, withEditor, write }: RunServerOptions,
  work: (root: string, call: Call) => Promise<T>,
): Promise<T> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "godot-run-")));
  const root = join(base, "project");
  mkdirSync(join(base, "home"));
  write(root);
  const settings = readSettings({
    flags: { project: root, godot: godot ?? "", toolsets: "all", trust: true },
    env: {},
  });
  if (!settings.ok) throw new Error(settings.failure.message);
  if (withEditor) await installAddon(new Project(root, () => Date.now()));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(base, "home"),
    XDG_CACHE_HOME: join(base, "cache"),
    GODOT_MCP_BRIDGE_DIR: join(base, "bridge"),
  };
  const core = createCore({ settings: settings.value, env, cwd: base, onBug: () => {} });
  if (!core.ok) throw new Error(core.failure.message);
  const call: Call = async (tool, args) => {
    const answer = await core.value.pipeline.call({ tool, args, caller: { transport: "cli" } });
    if (answer.kind !== "rendered") throw new Error(`${tool} did not answer.`);
    // Every answer of this server has this format.
    return answer.envelope as unknown as OkEnvelope;
  };
  try {
    const launch = { action: "launch", headless: true, timeoutMs: 110_000 };
    const launched = withEditor ? await call("godot_workspace", launch) : undefined;
    if (launched?.ok === false) throw new Error(JSON.stringify(launched.error));
    return await work(root, call);
  } finally {
    await core.value.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}
