import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { SettingsText } from "../../formats/settings-text.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import type { FileCode, Project } from "../../project/project.ts";
import { missingFiles } from "../../scene-model/missing-files.ts";
import { settingValue } from "../../scene-model/setting-value.ts";
import { count, json, jsonObject, text } from "../../shapes.ts";
import type { ToolAnswer } from "../tool-answer.ts";

/** What kind of thing a file is, by its ending. */
const KINDS: readonly (readonly [kind: string, endings: RegExp])[] = [
  ["scenes", /\.t?scn$/],
  ["scripts", /\.(?:gd|cs)$/],
  ["shaders", /\.gdshader(?:inc)?$/],
  ["resources", /\.t?res$/],
  ["images", /\.(?:png|jpe?g|webp|svg|bmp|tga|exr|hdr)$/],
  ["sounds", /\.(?:wav|ogg|mp3)$/],
  ["models", /\.(?:glb|gltf|fbx|obj|blend|dae)$/],
  ["fonts", /\.(?:ttf|otf|woff2?)$/],
];

export const projectDescription = z.strictObject({
  name: text,
  path: text,
  godotVersion: text.nullable(),
  mainScene: json,
  autoloads: jsonObject,
  plugins: json,
  /** Files by kind. */
  structure: z.record(z.string(), count),
});

export async function projectInfo(
  project: Project,
): Promise<ToolAnswer<z.infer<typeof projectDescription>, FileCode>> {
  const read = await project.readText("res://project.godot");
  if (!read.ok) return read;
  const text = SettingsText.parse(read.value.text);
  if (!text.ok) return text;
  const classes = await loadClassTable();
  const value = (name: string) => settingValue(text.value, name, classes) ?? null;
  const features = value("application/config/features");
  const autoloads = text.value
    .entries()
    .filter(([name]) => name.startsWith("autoload/"))
    .map(([name]) => [name.slice("autoload/".length), value(name)]);
  const name = String(value("application/config/name") ?? "");
  const missing = await missingFiles(project);
  return ok(
    {
      name,
      path: project.root,
      godotVersion: Array.isArray(features)
        ? (features.map(String).find((item) => /^\d/.test(item)) ?? null)
        : null,
      mainScene: value("application/run/main_scene"),
      autoloads: Object.fromEntries(autoloads),
      plugins: value("editor_plugins/enabled") ?? [],
      structure: await countFiles(project),
    },
    {
      summary: `${name === "" ? "A project without a name" : name} at ${project.root}.`,
      execution: { mode: "files" },
      ...(missing.length > 0 && { warnings: missing.map(({ message }) => message) }),
    },
  );
}

async function countFiles(project: Project): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  const root = await project.resolve("res://");
  if (!root.ok) return {};
  for await (const { res } of project.files(root.value)) {
    if (/\.(?:import|uid)$/.test(res)) continue;
    const kind = KINDS.find(([, endings]) => endings.test(res))?.[0] ?? "other";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
