import type { Failure, JsonObject } from "@toolpact/contract";
import { errors, type GodotCode, type Result } from "../errors.ts";
import type { SceneText } from "../formats/scene-text.ts";
import type { FileChange } from "../project/project.ts";
import type { ProjectPath } from "../project/project-path.ts";
import type { EditOperation, Operation, ParamsOf, Question, ResultOf } from "./operations.ts";

/** What works on the project: the text files alone, a headless engine, or the open editor. */
export type Mode = "files" | "engine" | "editor";

export type Answered<T> = Promise<Result<T>>;

/**
 * One of the three ways to read and edit a project. What a driver cannot do it answers with `cannotDo`, so that the next
 * driver can be tried. Never throws and never hangs: every way to fail is a typed failure.
 */
export interface Driver {
  readonly mode: Mode;
  /** Of its Godot, such as `4.6.3.stable`; undefined where no Godot takes part. */
  readonly version: string | undefined;
  /** Answers a question about the project. */
  request<O extends Question>(
    operation: O,
    params: ParamsOf<O>,
    options?: RequestOptions,
  ): Answered<ResultOf<O>>;
  /** Gets an edit ready for `commitEdit`, which alone carries it out. */
  prepare<O extends EditOperation>(operation: O, params: ParamsOf<O>): Answered<PreparedEdit<ResultOf<O>>>;
  /** Drops what it holds in memory of the project's files, where that may be out of date. */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** A driver that uses Godot. */
export interface GodotDriver extends Driver {
  readonly mode: "engine" | "editor";
  /** Real path of the project's folder. */
  readonly project: string;
  readonly version: string;
  /** Of an editor: the version of the addon that runs in it, where it tells. */
  readonly addon?: string | undefined;
  /** False while its Godot has not started; one that is connected is ready. */
  readonly isReady?: boolean;
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
  /** The scene that the file held, where it was parsed. */
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
  /** Lets that Godot take a file for read that means what it has open, and keep its history. */
  readonly accept?: () => Answered<unknown>;
  /** Of a step of the history: what the file must hold after it, where that is known. */
  readonly expected?: (content: FileContent, result: Value) => FileContent | undefined;
  /** Called with what the file held and holds once the edit is done and read back. */
  readonly onCommitted?: (before: FileContent, after: FileContent, result: Value, label: string) => void;
}

/** Null where there is no file. */
export type FileContent = string | Uint8Array | null;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Overrides the operation's own limit in `OPERATIONS`. */
  readonly timeoutMs?: number;
  /** Called once the Godot is ready, right before it gets the request. */
  readonly beforeSending?: () => Promise<void>;
}

/** What to do where every Godot would lose something. */
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
