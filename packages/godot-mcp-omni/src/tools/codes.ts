import type { GodotCode, ReplyCode } from "../errors.ts";
import type { FileCode } from "../project/project.ts";
import type { PathCode } from "../project/project-path.ts";

/** The codes that actions may fail with, by what they use. */

/** A path of the caller's. */
export const PATH = ["E_PERMISSION_DENIED", "E_SCHEMA_VALIDATION"] as const satisfies readonly PathCode[];

/** A folder that is listed. */
export const FOLDER = [...PATH, "E_NOT_FOUND"] as const;

export type FolderCode = (typeof FOLDER)[number];

/** A file that is read. */
export const READ = [...FOLDER, "E_UNSUPPORTED"] as const satisfies readonly FileCode[];

/** A file that is written, when its turn comes. */
export const WRITE = [...PATH, "E_INTERNAL", "E_TIMEOUT"] as const;

export type WriteCode = (typeof WRITE)[number];

/** A file that is read and then written. */
export const EDIT = [...WRITE, "E_NOT_FOUND", "E_UNSUPPORTED"] as const;

export type EditCode = (typeof EDIT)[number];

/** A running Godot, without a path of the caller's. */
export const REPLY = [
  "E_INTERNAL",
  "E_NOT_CONNECTED",
  "E_NOT_FOUND",
  "E_SCHEMA_VALIDATION",
  "E_TIMEOUT",
  "E_UNSUPPORTED",
] as const satisfies readonly ReplyCode[];

/** Files and Godot. */
export const ANY_CODE = [...REPLY, "E_PERMISSION_DENIED"] as const satisfies readonly GodotCode[];
