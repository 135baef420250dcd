import { existsSync, readFileSync } from "node:fs";
import { ok } from "@toolpact/outcome";
import { SceneText } from "../../formats/scene-text.ts";
import { SettingsText } from "../../formats/settings-text.ts";
import { inSlices } from "../../formats/slices.ts";
import type { FileContent } from "../../operations/driver.ts";
import type { ProjectPath } from "../../project/project-path.ts";

/** A file before or after an edit. */
export interface FileState {
  readonly content: FileContent;
  /** Parses a scene or resource in slices, so that `scene` is there. */
  readonly read: () => Promise<void>;
  /** The parsed scene or resource, if the file is readable text. */
  readonly scene: SceneText | undefined;
  /** The parsed settings, for `project.godot`. */
  readonly settings: SettingsText | undefined;
}

/** `parsed` is the scene if it was parsed already. Otherwise it is parsed on first access. */
export function fileState(path: ProjectPath, content: FileContent, parsed?: SceneText): FileState {
  const text = () => (content === null ? "" : Buffer.from(content).toString("utf8"));
  const isScene = content !== null && /\.t(?:scn|res)$/.test(path.res);
  let read: ReturnType<typeof SceneText.parse> | undefined = parsed && ok(parsed);
  return {
    content,
    async read() {
      if (isScene) read ??= await inSlices(SceneText.parsing(text()));
    },
    get scene() {
      if (isScene) read ??= SceneText.parse(text());
      return read?.ok ? read.value : undefined;
    },
    get settings() {
      const settings = content === null ? undefined : SettingsText.parse(text());
      return settings?.ok ? settings.value : undefined;
    },
  };
}

export function stateNow(path: ProjectPath): FileState {
  return fileState(path, existsSync(path.absolute) ? readFileSync(path.absolute) : null);
}

export function isSame(one: Pick<FileState, "content">, other: Pick<FileState, "content">): boolean {
  if (one.content === null || other.content === null) return one.content === other.content;
  return Buffer.from(one.content).equals(Buffer.from(other.content));
}
