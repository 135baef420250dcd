import type { Failure } from "@toolpact/contract";
import { type Failed, ok } from "@toolpact/outcome";
import { SceneEditing } from "../../drivers/files/editing/scene-editing.ts";
import { keepPaths } from "../../drivers/files/edits/keep-paths.ts";
import { movePrefix } from "../../drivers/files/edits/place.ts";
import { PREPARE } from "../../drivers/files/prepare-edit.ts";
import { errors, type GodotCode, type Result } from "../../errors.ts";
import { inSlices } from "../../formats/document.ts";
import { SceneText, setTextField } from "../../formats/scene-text.ts";
import { findingOccurrences } from "../../graph/occurrences.ts";
import type { RenamePlan, UncertainUse } from "../../graph/rename-plan.ts";
import type { Project } from "../../project/project.ts";
import { blockPath, isWithin, walk } from "../../scene-model/scene-tree.ts";
import { loadScene } from "../../scene-model/scene-world.ts";
import { scenesWith, usesOfMovedNodes } from "../../scene-model/used-nodes.ts";
import type { EditCode } from "../product.ts";
import type { RenameWork, Worked } from "./rename-action.ts";

/** Renames a node of a scene, with the paths in this scene, in scenes that contain it, and in their scripts. */
export async function nodeRename(
  { project }: RenameWork,
  {
    scene,
    name,
    to,
  }: { readonly scene?: string | undefined; readonly name?: string | undefined; readonly to: string },
): Promise<Result<Worked, EditCode>> {
  if (scene === undefined || name === undefined)
    return errors.fail(
      "E_SCHEMA_VALIDATION",
      "Give the scene, and the node's path in name, such as Player/Sprite.",
    );
  const place = await project.resolve(scene);
  if (!place.ok) return place;
  const { res } = place.value;
  const label = `rename ${name} to ${to} in ${res}`;
  const prepared = await PREPARE["scene.edit"](project, {
    scene: res,
    edits: [{ kind: "rename", node: name, name: to }],
    label,
  });
  if (!prepared.ok) return withoutGodot(prepared.failure);
  const { change, result } = prepared.value;
  const [renamed] = result.changes;
  const after = String(change.content);
  const texts = new Map([[res, { before: String(change.was), after }]]);
  const from = renamed?.from ?? ".";
  if (renamed === undefined || from === ".")
    return ok({ from: name, to, label, plan: { texts, uncertain: [] } });
  const changed = SceneText.parse(after);
  if (!changed.ok) return changed;
  const uncertain: UncertainUse[] = [];
  for (const user of await scenesWith(project, res)) {
    if (user !== res) await followIn(project, user, res, from, renamed.node, texts);
    await doubtsIn(project, user, from.slice(from.lastIndexOf("/") + 1), uncertain);
  }
  for (const use of await usesOfMovedNodes(project, res, result.changes, changed.value)) {
    if (use.replace === undefined) continue;
    const before = texts.get(use.path)?.before ?? (await project.textOf(use.path)) ?? "";
    const lines = (texts.get(use.path)?.after ?? before).split("\n");
    lines[use.line - 1] = use.replace;
    texts.set(use.path, { before, after: lines.join("\n") });
  }
  const plan: RenamePlan = { texts, uncertain };
  return ok({ from, to: renamed.node, label, plan });
}

/** The files driver does not use Godot, so it cannot fail without one. */
function withoutGodot(failure: Failure<GodotCode>): Failed<Failure<EditCode>> {
  const { code } = failure;
  if (code === "E_NOT_CONNECTED") throw new Error(failure.message);
  return { ok: false, failure: { ...failure, code } };
}

/** Updates a scene that contains or inherits the changed one, and refers to its nodes by path. */
async function followIn(
  project: Project,
  user: string,
  changed: string,
  from: string,
  to: string,
  texts: Map<string, { before: string; after: string }>,
): Promise<void> {
  const path = await project.resolve(user);
  const loaded = path.ok ? await loadScene(project, path.value) : path;
  if (!loaded.ok) return;
  const scene = await inSlices(loaded.value.scene.cloning());
  const editing = new SceneEditing(user, scene, loaded.value.world, Math.random);
  if (!(await inSlices(editing.resolving()))) return;
  const places = [...walk(editing.root)].flatMap((node) => (node.instance === changed ? [node.path] : []));
  for (const place of places) {
    const inside = (path: string) => (place === "." ? path : `${place}/${path}`);
    const [old, now] = [inside(from), inside(to)];
    await inSlices(keepPaths(editing, old, now));
    const own = scene.tagged("node").find((block) => blockPath(block) === old);
    if (own !== undefined) setTextField(own, "name", now.slice(now.lastIndexOf("/") + 1));
    if (
      scene.blocks.some((block) => isWithin(blockPath(block), old)) ||
      scene.tagged("connection").length > 0
    )
      await inSlices(
        movePrefix(
          editing,
          old,
          now,
          own ?? { heading: { kind: "heading", text: "", tag: "", fields: [] }, body: [] },
        ),
      );
    editing.changed();
  }
  const after = scene.write();
  if (after !== loaded.value.text) texts.set(user, { before: loaded.value.text, after });
}

/** Texts that may refer to the node, and computed paths, in the scripts of a scene. */
async function doubtsIn(project: Project, scene: string, name: string, found: UncertainUse[]): Promise<void> {
  const text = await project.textOf(scene);
  const scripts = new Set(
    Array.from((text ?? "").matchAll(/path="(res:\/\/[^"\n]+\.gd)"/g), ([, path = ""]) => path),
  );
  for (const path of scripts) {
    const source = (await project.textOf(path)) ?? "";
    const lines = source.split("\n");
    const note = (line: number, why: string) => {
      if (!found.some((use) => use.path === path && use.line === line))
        found.push({ path, line, why, text: (lines[line - 1] ?? "").trim().slice(0, 200) });
    };
    for (const { as, call, line } of await inSlices(findingOccurrences(source, name)))
      if (as === "text" && !/^(?:get_node|get_node_or_null|has_node)$/.test(call)) note(line, "a text");
    for (const [index, line] of lines.entries())
      if (/\bget_node(?:_or_null)?\(\s*[^"'\s&^)]/.test(line)) note(index + 1, "a computed path");
  }
}
