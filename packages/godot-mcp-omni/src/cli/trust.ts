import { resolve } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { projectFolder } from "../config/find-project.ts";
import { TrustedProjects } from "../project/trust.ts";
import { oneProject } from "./context.ts";
import { type Context, command } from "./machine.ts";

const args = {
  dir: { describe: "Folder of the project; default: that of --project, or the nearest one", required: false },
};

export const trust = command({
  name: "trust",
  describe: "Let Godot open a project, which runs its plugins, extensions and scripts",
  details:
    "A project that nobody has trusted is worked on as files: nothing of it runs. Trust belongs to the folder's real path; a project that was moved or copied is not trusted. A running server sees the change at once.",
  args,
  options: { list: { kind: "flag", describe: "Show the projects that are trusted" } },
  examples: [
    { line: "godot-mcp-omni trust ~/game", does: "your own project, or one whose code you have read" },
    { line: "godot-mcp-omni trust --list", does: "the projects that are trusted" },
  ],
  async run({ dir, list }, context) {
    const projects = new TrustedProjects(context.terminal.env, context.machine.platform);
    if (list) {
      const trusted = projects.list();
      return ok({
        text: trusted.length === 0 ? "No project is trusted." : trusted.join("\n"),
        json: { trusted },
      });
    }
    const root = await folderOf(dir, context);
    if (!root.ok) return root;
    const { codeInProject } = await import("../workspace/code-in-project.ts");
    const code = await codeInProject(root.value);
    if (!projects.add(root.value))
      return failed({ message: "There is no home folder to store it in.", fix: "Serve with --trust." });
    const found = code.length === 0 ? [] : ["Opening it also runs:", ...code.map((line) => `  ${line}`)];
    return ok({
      text: [`${root.value} is trusted: Godot may open it and run its scripts.`, ...found].join("\n"),
      json: { trusted: root.value, runs: code },
    });
  },
});

export const untrust = command({
  name: "untrust",
  describe: "Take the trust in a project back",
  details: "A server that runs no longer starts Godot on it. A running Godot stays open.",
  args,
  examples: [{ line: "godot-mcp-omni untrust ~/game", does: "work on its files alone from now on" }],
  async run({ dir }, context) {
    const root = await folderOf(dir, context);
    if (!root.ok) return root;
    const projects = new TrustedProjects(context.terminal.env, context.machine.platform);
    const had = projects.remove(root.value);
    return ok({
      text: `${root.value} ${had ? "is not trusted any more." : "was not trusted."}`,
      json: { untrusted: root.value, wasTrusted: had },
    });
  },
});

export async function folderOf(
  dir: string | undefined,
  context: Context,
  command = "trust",
): Promise<Outcome<string, { message: string; fix: string }>> {
  const { cwd } = context.machine;
  const settings = await oneProject(context);
  if (
    !settings.ok &&
    dir === undefined &&
    context.globals.project !== undefined &&
    context.globals.project.length > 1
  )
    return failed({ message: settings.failure.message, fix: settings.failure.fix ?? "" });
  const named = dir === undefined ? (settings.ok ? settings.value.project : undefined) : resolve(cwd, dir);
  const found = projectFolder(named, cwd);
  return found.ok
    ? found
    : failed({ message: found.failure.message, fix: `Name the folder: godot-mcp-omni ${command} FOLDER.` });
}
