import type { Failure, JsonObject } from "@toolpact/contract";
import { errors, type GodotCode, type Result } from "../errors.ts";
import type { SceneText } from "../formats/scene-text.ts";
import type { FileChange } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { EditOperation, Operation, ParamsOf, Question, ResultOf } from "./operations.ts";

/** The part that works on the project: text files only, a headless engine, or the open editor. */
export type Mode = "files" | "engine" | "editor";

export type Answered<T> = Promise<Result<T>>;

/**
 * One of the three ways to read and edit a project. It answers unsupported work with `cannotDo`, and the next
 * driver is tried. It does not throw or hang: every failure is typed.
 */
export interface Driver {
  readonly mode: Mode;
  /** The version of Godot, such as `4.6.3.stable`; undefined for the files driver. */
  readonly version: string | undefined;
  /** Answers a question about the project. */
  request<O extends Question>(
    operation: O,
    params: ParamsOf<O>,
    options?: RequestOptions,
  ): Answered<ResultOf<O>>;
  /** Prepares an edit for `commitEdit`, which alone carries it out. */
  prepare<O extends EditOperation>(operation: O, params: ParamsOf<O>): Answered<PreparedEdit<ResultOf<O>>>;
  /** Drops cached files of the project that may be out of date. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** An edit in the history of an editor. */
export interface EditorStep {
  readonly scene: string;
  /** The number of steps in the scene's history after it. */
  readonly position: number;
  /** Its name in the history. */
  readonly step: string;
  readonly label: string;
  readonly at: number;
  readonly undone: boolean;
  /** The journal's entry of the same edit, which outlives the editor. */
  readonly entry: number | undefined;
}

export interface GodotDriver extends Driver {
  readonly mode: "engine" | "editor";
  readonly project: string;
  readonly version: string;
  /** The version of the addon that runs in the editor, if the addon reports it. */
  readonly addon?: string | undefined;
  /** False while its Godot has not started; a connected one is ready. */
  readonly isReady?: boolean;
  /** In an editor, the last edits of this server in the editor's own history, the oldest first. */
  steps?(): readonly EditorStep[];
  /** Starts it in advance. */
  warm?(): void;
}

/** A Godot process that also accepts edits. Only its own `prepare` and tests request them. */
export interface RawGodotDriver extends GodotDriver {
  request<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: RequestOptions,
  ): Answered<ResultOf<O>>;
}

export interface Edit<O extends EditOperation = EditOperation> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  readonly path: ProjectPath;
  /** Describes the edit in one line, for the journal. */
  readonly label: string;
}

/** A checked edit that has not run yet: new content for files, or a request that lets Godot write. */
export type PreparedEdit<Value> = WrittenEdit<Value> | RequestedEdit<Value>;

export interface WrittenEdit<Value> {
  readonly kind: "written";
  readonly change: FileChange;
  /** The old scene, if it was parsed. */
  readonly scene?: SceneText;
  readonly result: Value;
  readonly warnings: readonly string[];
}

export interface RequestedEdit<Value> {
  readonly kind: "requested";
  /** Calls `beforeSending` once Godot is ready, right before the request is sent. */
  readonly send: (signal: AbortSignal, beforeSending: () => Promise<void>) => Answered<Value>;
  /** Undoes the edit in the editor's own history. Without it the journal does. */
  readonly takeBack?: () => Answered<unknown>;
  /** Makes Godot reload the restored file, unless it has unsaved changes. */
  readonly reload?: () => Answered<unknown>;
  /** Marks a file with the same meaning as read; the editor then keeps its history. */
  readonly accept?: () => Answered<unknown>;
  /** For a step of the history, the expected content of the file, if it is known. */
  readonly expected?: (content: FileContent, result: Value) => FileContent | undefined;
  /**
   * Called with the old and new content of the file after the edit was read back, and with its entry in the journal.
   * Returns the step of the editor's history that was undone or redone.
   */
  readonly onCommitted?: (done: {
    readonly before: FileContent;
    readonly after: FileContent;
    readonly result: Value;
    readonly label: string;
    readonly entry: number | undefined;
  }) => EditorStep | undefined;
}

/** The content of a file; null if there is none. */
export type FileContent = string | Uint8Array | null;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Overrides the operation's own limit in `OPERATIONS`. */
  readonly timeoutMs?: number;
  /** Called once Godot is ready, right before the request is sent. */
  readonly beforeSending?: () => Promise<void>;
}

/** The suggested fix if Godot would lose something by saving. */
export const BY_FILES =
  "Leave out the mode, or use mode files: then the text of the file is read and edited.";

/** A refusal that does not apply to other drivers; with `needsFiles`, no Godot can do it. */
export function cannotDo(
  mode: Mode | "godot",
  message: string,
  suggestedFix: string,
  details: JsonObject = {},
) {
  return errors.fail("E_UNSUPPORTED", message, {
    details: { ...details, unsupportedBy: mode },
    suggestedFix,
    fixBy: "operator",
  });
}

/** Whether only this driver cannot do it, and another one may. */
export function isCannotDo({ code, details }: Failure<GodotCode>): boolean {
  return code === "E_UNSUPPORTED" && details?.unsupportedBy !== undefined;
}
