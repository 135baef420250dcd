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
 * One of the three ways to read and edit a project. What a driver cannot do it answers with `cannotDo`, so that the next
 * driver can be tried. Never throws and never hangs: every way to fail is a typed failure.
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
  /** Gets an edit ready for `commitEdit`, which alone carries it out. */
  prepare<O extends EditOperation>(operation: O, params: ParamsOf<O>): Answered<PreparedEdit<ResultOf<O>>>;
  /** Drops cached files of the project that may be out of date. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** An edit in the history of an editor. */
export interface EditorStep {
  readonly scene: string;
  /** How many steps of the scene's history were done after it. */
  readonly position: number;
  /** Its name in the history. */
  readonly step: string;
  readonly label: string;
  readonly at: number;
  readonly undone: boolean;
  /** The journal's entry of the same edit, which outlives the editor. */
  readonly entry: number | undefined;
}

/** A driver that uses Godot. */
export interface GodotDriver extends Driver {
  readonly mode: "engine" | "editor";
  /** Real path of the project's folder. */
  readonly project: string;
  readonly version: string;
  /** The version of the addon that runs in the editor, if the addon reports it. */
  readonly addon?: string | undefined;
  /** False while its Godot has not started; one that is connected is ready. */
  readonly isReady?: boolean;
  /** In an editor, the last edits of this server that are in its own history, the oldest first. */
  steps?(): readonly EditorStep[];
  /** Starts it for the calls to come. */
  warm?(): void;
}

/** A Godot process that can be asked for edits too. Only its own `prepare` does that, and tests. */
export interface RawGodotDriver extends GodotDriver {
  request<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: RequestOptions,
  ): Answered<ResultOf<O>>;
}

/** One edit of one file. */
export interface Edit<O extends EditOperation = EditOperation> {
  readonly operation: O;
  readonly params: ParamsOf<O>;
  readonly path: ProjectPath;
  /** Describes the edit in one line, for the journal. */
  readonly label: string;
}

/** An edit that is checked and not done yet: new content for files, or a request that lets Godot write. */
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
  /** Calls `beforeSending` once the Godot is ready, right before it gets the request. */
  readonly send: (signal: AbortSignal, beforeSending: () => Promise<void>) => Answered<Value>;
  /** For the editor, which has its own history: takes the edit back there. Without it the journal does. */
  readonly takeBack?: () => Answered<unknown>;
  /** Lets that Godot read the file again after it was put back on the disk, unless it has unsaved changes. */
  readonly reload?: () => Answered<unknown>;
  /** Marks a file with the same meaning as read, so that the editor keeps its history. */
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
  /** Called once the Godot is ready, right before it gets the request. */
  readonly beforeSending?: () => Promise<void>;
}

/** The suggested fix if Godot would lose something by saving. */
export const BY_FILES =
  "Leave out the mode, or use mode files: then the text of the file is read and edited.";

/** The refusal of a driver that another driver may not share; with `needsFiles`, no Godot can do it. */
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

/** Whether it is this driver that cannot do it, so that another one may. */
export function isCannotDo({ code, details }: Failure<GodotCode>): boolean {
  return code === "E_UNSUPPORTED" && details?.unsupportedBy !== undefined;
}
