import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { clientFiles } from "../distribution/client-files.ts";
import { root } from "../packages.ts";
import { type Checked, mentions } from "./checked.ts";
import { type ClientMachine, converse, PROGRAMS, runCommand } from "./drive-client.ts";

/** A placeholder publisher, which plugins require. */
const SOMEBODY = {
  repository: "https://github.com/example/toolpact",
  homepage: "https://toolpact.example",
  bugs: "https://github.com/example/toolpact/issues",
  mcpNamespace: "io.github.example",
};

/** Installs both plugins without a terminal, in a home without other servers, and calls both servers in a project. */
export async function checkPlugins(machine: ClientMachine): Promise<Checked> {
  const { plugins } = machine.client;
  if (plugins === undefined) return { passed: true, remark: "has none" };
  const folder = writePlugins(machine.home);
  addNpx(machine.home);
  for (const args of plugins.install(folder)) {
    const code = await runCommand(machine, machine.program, args);
    if (code !== 0) return { passed: false, remark: `${args.join(" ")} ends with exit code ${code}` };
  }
  writeFileSync(
    join(machine.cwd, "project.godot"),
    'config_version=5\n\n[application]\n\nconfig/name="Orchard"\n',
  );
  await runCommand(machine, "git", ["init", "--quiet"]);
  const { server = (plugin: string) => plugin } = plugins;
  const { results, offered } = await converse(machine, "plugins", [
    { server: server("tuitbot"), tool: "health_check", input: {} },
    { server: server("godot-mcp-omni"), tool: "godot_project", input: GET_INFO },
    {
      server: server("godot-mcp-omni"),
      tool: "godot_project",
      input: { ...GET_INFO, projectPath: machine.cwd },
    },
  ]);
  // Some clients start a plugin in its own folder, without the user's folder.
  const isFound = mentions(results[1], /Orchard/).passed;
  const checks = [mentions(results[0], /authenticated_user/), mentions(results[isFound ? 1 : 2], /Orchard/)];
  const failed = checks.find(({ passed }) => !passed);
  if (failed !== undefined) return failed;
  const ours = [...offered].filter((name) => /tuitbot|godot/.test(name));
  // Codex truncates plugin tools alphabetically for models it does not know.
  const isCut = machine.client.deferral === undefined && !ours.some((name) => name.endsWith("x_post_tweet"));
  const remarks = [
    "both servers",
    ...(isCut ? [`cut to ${ours.length} tools`] : []),
    ...(isFound ? [] : ["Godot by `projectPath`"]),
  ];
  return { passed: true, remark: remarks.join(", ") };
}

const GET_INFO = { action: "project_info.get" } as const;

/** The folder of the marketplace, with the skills of each package. */
function writePlugins(home: string): string {
  const folder = join(home, "plugins");
  for (const [path, text] of Object.entries(clientFiles(SOMEBODY))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const name of ["tuitbot", "godot-mcp-omni"]) {
    const skills = join("packages", name, "skills");
    if (existsSync(join(root, skills))) cpSync(join(root, skills), join(folder, skills), { recursive: true });
  }
  return folder;
}

/** An `npx` that starts the built programs, as the published packages would be started. */
function addNpx(home: string): void {
  const npx = join(home, "bin/npx");
  mkdirSync(dirname(npx), { recursive: true });
  const cases = Object.entries(PROGRAMS).map(
    ([name, file]) => `${name}@*) shift 2; exec ${process.execPath} ${file} "$@";;`,
  );
  writeFileSync(npx, `#!/bin/sh\ncase "$2" in\n${cases.join("\n")}\nesac\nexit 1\n`);
  chmodSync(npx, 0o755);
}
