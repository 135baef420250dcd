import { cpSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { type Call, withRunServer } from "./run-server.ts";

export const MODES = ["files", "engine", "editor"] as const;
export type SceneMode = (typeof MODES)[number];

/** The result of one scene in one mode. */
export interface SceneResult {
  readonly project: string;
  readonly scene: string;
  readonly mode: SceneMode;
  /** Why the edit was refused. */
  readonly refused?: string;
  /** Changed lines other than the requested one. */
  readonly extraLines: number;
  /** The driver that did it: Godot leaves an edit to the files driver if it would lose something. */
  readonly doneBy?: string;
  /** Whether the file was byte for byte as before after undo. */
  readonly isIdentical: boolean;
}

export interface SceneRunOptions {
  /** A project, or a folder with projects at any depth. */
  readonly folder: string;
  readonly modes: readonly SceneMode[];
  readonly godot: string | undefined;
  readonly say: (line: string) => void;
}

/** Set on the root of every scene: every node takes metadata, and it is one line of the file. */
const PROPERTY = "metadata/edited_by_scene_run";
const ADDED = new RegExp(`\\r?\\n${PROPERTY} = 1(?=\\r?\\n|$)`);

/** Edits every scene of copies of the projects in every mode, and undoes each edit. The projects stay unchanged. */
export async function runScenes(options: SceneRunOptions): Promise<SceneResult[]> {
  const results: SceneResult[] = [];
  for (const project of projectsIn(options.folder))
    for (const mode of options.modes) {
      options.say(`${basename(project)}, ${mode}`);
      results.push(...(await runProject(project, mode, options)));
    }
  return results;
}

function projectsIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === "project.godot")) return [folder];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .flatMap(({ name }) => projectsIn(join(folder, name)))
    .sort();
}

async function runProject(
  source: string,
  mode: SceneMode,
  { godot, folder }: SceneRunOptions,
): Promise<SceneResult[]> {
  const write = (root: string) => cpSync(source, root, { recursive: true });
  return withRunServer({ godot, withEditor: mode === "editor", write }, async (root, call) => {
    const results: SceneResult[] = [];
    for (const file of scenesIn(root))
      results.push({
        project: relative(folder, source) || basename(source),
        scene: file,
        mode,
        ...(await editAndUndo(root, file, mode, call)),
      });
    return results;
  });
}

function scenesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tscn") && !/^(?:\.godot|addons\/godot_mcp_bridge)\//.test(file))
    .sort();
}

async function editAndUndo(root: string, file: string, mode: SceneMode, call: Call) {
  const read = () => readFileSync(join(root, file));
  // In other modes the best driver is chosen, which leaves lossy edits to the files driver.
  const place = { scene: `res://${file}`, ...(mode === "files" && { mode }) };
  const before = read();
  const edited = await call("godot_scene", {
    action: "update",
    ...place,
    node: ".",
    properties: { [PROPERTY]: 1 },
  });
  if (!edited.ok) {
    const { code, message } = edited.error ?? { code: "E_INTERNAL", message: "no reason" };
    return { refused: `${code}: ${message}`, extraLines: 0, isIdentical: read().equals(before) };
  }
  const after = read().toString();
  const doneBy = String(edited.execution?.mode ?? mode);
  // An edit left to the files driver is in the journal, not in the editor's history.
  await call("godot_scene", { action: "undo", ...place, mode: doneBy });
  return {
    extraLines: changedLines(before.toString(), after.replace(ADDED, "")),
    doneBy,
    isIdentical: read().equals(before),
  };
}

function changedLines(one: string, other: string): number {
  const counts = new Map<string, number>();
  // A line added at the end gives the previous one its line end.
  const lines = (text: string) => text.replace(/\r?\n$/, "").split("\n");
  for (const line of lines(one)) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of lines(other)) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

/** One row per mode, then the unexpected results, as Markdown. */
export function sceneTable(results: readonly SceneResult[]): string {
  const modes = MODES.filter((mode) => results.some((result) => result.mode === mode));
  const rows = modes.map((mode) => {
    const here = results.filter((result) => result.mode === mode);
    const count = (test: (result: SceneResult) => boolean) => here.filter(test).length;
    return [
      mode,
      here.length,
      count((result) => result.refused !== undefined),
      count((result) => result.doneBy === "files" && mode !== "files"),
      count((result) => result.extraLines > 0),
      count((result) => !result.isIdentical),
    ];
  });
  const odd = results.filter((result) => result.refused || result.extraLines > 0 || !result.isIdentical);
  return [
    "| mode | scenes | refused | left to files | with extra lines | not identical after undo |",
    "|---|---:|---:|---:|---:|---:|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    ...(odd.length === 0
      ? []
      : [
          "",
          "| scene | mode | what |",
          "|---|---|---|",
          ...odd.map((result) => `| ${oddity(result).join(" | ")} |`),
        ]),
    "",
  ].join("\n");
}

function oddity({ project, scene, mode, refused, extraLines, isIdentical }: SceneResult): string[] {
  const what = [
    ...(refused === undefined ? [] : [`refused: ${refused.replaceAll("|", "\\|").split("\n")[0]}`]),
    ...(extraLines === 0 ? [] : [`${extraLines} extra lines`]),
    ...(isIdentical ? [] : ["not identical after undo"]),
  ];
  return [`\`${project}/${scene}\``, mode, what.join("; ")];
}
