import { existsSync } from "node:fs";
import path from "node:path";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import type { DriverContext } from "../../drivers/ask.ts";
import { commitFiles } from "../../drivers/commit/commit-files.ts";
import type { Drivers } from "../../drivers/drivers.ts";
import { errors } from "../../errors.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { quote } from "../../formats/variant.ts";
import { loadClassTable } from "../../godot/class-table.ts";
import { isWriteProtected } from "../../project/atomic-write.ts";
import { denied } from "../../project/project.ts";
import { holdsNoCode } from "../../project/trust.ts";
import { list, text } from "../../shapes.ts";
import type { WriteCode } from "../codes.ts";
import type { ToolAnswer } from "../tool-answer.ts";

/** How Godot names its renderers: the setting, and the feature of a project that uses it. */
const RENDERERS = {
  forward_plus: "Forward Plus",
  mobile: "Mobile",
  gl_compatibility: "GL Compatibility",
} as const;

export type Renderer = keyof typeof RENDERERS;

export const RENDERER_NAMES = Object.keys(RENDERERS) as [Renderer, ...Renderer[]];

export interface NewProject {
  readonly name?: string | undefined;
  readonly renderer?: Renderer | undefined;
}

const FILE = "res://project.godot";

export const projectCreated = z.strictObject({
  name: text,
  path: text,
  features: list(text),
  saved: z.literal(true),
});

type ProjectCreated = z.infer<typeof projectCreated>;

/** Creates `project.godot` in the server's folder, and the folder if needed. An existing one stays. */
export async function createProject(
  { project, workspace }: Pick<DriverContext, "project" | "workspace">,
  { name = path.basename(project.root), renderer = "forward_plus" }: NewProject,
): Promise<ToolAnswer<ProjectCreated, WriteCode>> {
  if (name.trim() === "")
    return errors.fail("E_SCHEMA_VALIDATION", "A project needs a name.", {
      suggestedFix: "Leave name out for the folder's.",
    });
  const place = await project.resolve(FILE);
  if (!place.ok) return place;
  if (isWriteProtected(project.root)) return denied(FILE, "write");
  const features = [await godotVersion(workspace), RENDERERS[renderer]];
  const content = settingsOf(name, renderer, features);
  return project.inTurn(FILE, async (): Promise<ToolAnswer<ProjectCreated, WriteCode>> => {
    if (existsSync(place.value.absolute))
      return errors.fail("E_PERMISSION_DENIED", `There already is a project in ${project.root}.`, {
        details: { gate: "overwrite", path: FILE },
        suggestedFix: "Work on it as it is: godot_project project_setting.set changes its settings.",
        fixBy: "agent",
      });
    const isFromNothing = holdsNoCode(project.root);
    const written = await commitFiles(project, `new project ${name}`, [
      { path: place.value, content, was: null },
    ]);
    if (!written.ok) return written;
    if (isFromNothing) workspace.trust.trustOwn();
    return ok(
      { name, path: project.root, features, saved: true },
      {
        summary: `Created the project ${name} in ${project.root}.`,
        execution: { mode: "files" },
        files: [{ kind: "settings", pathAbs: place.value.absolute, resPath: FILE }],
      },
    );
  });
}

function settingsOf(name: string, renderer: Renderer, features: readonly string[]): string {
  const text = SettingsText.parse("config_version=5\n");
  if (!text.ok) throw new Error(text.failure.message);
  text.value.set("application/config/name", quote(name));
  text.value.set("application/config/features", `PackedStringArray(${features.map(quote).join(", ")})`);
  if (renderer !== "forward_plus") {
    text.value.set("rendering/renderer/rendering_method", quote(renderer));
    text.value.set("rendering/renderer/rendering_method.mobile", quote(renderer));
  }
  return text.value.write();
}

/** The version of the Godot that was found, or of the one whose classes this server knows. */
async function godotVersion(workspace: Drivers): Promise<string> {
  const binary = await workspace.binary();
  const version = binary.ok ? binary.value.version : (await loadClassTable()).version;
  return version.split(".").slice(0, 2).join(".");
}
