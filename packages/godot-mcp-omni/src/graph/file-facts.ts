/** The declarations and references in the text of one file. The rest of the graph is computed from these. */
export interface FileFacts {
  /** `res://…` */
  readonly path: string;
  readonly kind: FileKind;
  readonly bytes: number;
  readonly uid?: string | undefined;
  /** The `class_name` of a script. */
  readonly className?: string | undefined;
  /** The base of a script: a class, or a path. */
  readonly extends?: string | undefined;
  /** The class of a resource, or of a scene's root. */
  readonly type?: string | undefined;
  readonly references: readonly FileReference[];
  readonly names: readonly NameUse[];
  readonly symbols: readonly CodeSymbol[];
  readonly connections: readonly SceneConnection[];
  /** Every identifier of a script with its first line, except in comments and strings and after a point. */
  readonly words: ReadonlyMap<string, number>;
  /** Every identifier after a point. */
  readonly members: ReadonlySet<string>;
  /** Lines that load a file whose path is computed. */
  readonly computedLoads: readonly number[];
  /** Why the file could not be read completely. */
  readonly problem?: string | undefined;
}

/** Files that are useless unless another one names them. */
export const KINDS_TO_USE = [
  "scene",
  "script",
  "resource",
  "shader",
  "image",
  "audio",
  "font",
  "model",
  "data",
] as const;

export const FILE_KINDS = [...KINDS_TO_USE, "settings", "document", "sidecar", "other"] as const;

export type FileKind = (typeof FILE_KINDS)[number];

export const REFERENCE_KINDS = [
  "inherits",
  "instance",
  "script",
  "resource",
  "extends",
  "preload",
  "load",
  "include",
  "setting",
  "autoload",
  "class",
  "text",
] as const;

export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export interface FileReference {
  readonly kind: ReferenceKind;
  /** `res://…` or `uid://…` */
  readonly to: string;
  /** Next to a path: Godot prefers the file with this uid. */
  readonly uid?: string | undefined;
  readonly line: number;
}

export const NAME_KINDS = ["signal", "method", "group", "action", "node", "autoload"] as const;

export type NameKind = (typeof NAME_KINDS)[number];

/** A reference to something other than a file. */
export interface NameUse {
  readonly kind: NameKind;
  readonly name: string;
  readonly line: number;
  readonly how: "declared" | "connected" | "used" | "text";
}

export interface CodeSymbol {
  readonly kind: "class" | "method" | "signal" | "variable" | "constant" | "enum" | "node";
  readonly name: string;
  readonly line: number;
  /** Its inner class, or the class of a node. */
  readonly of?: string | undefined;
  /** The script of a node, and the scene that it instances. */
  readonly script?: FileReference | "built-in" | undefined;
  readonly instance?: FileReference | undefined;
}

export interface SceneConnection {
  readonly signal: string;
  readonly from: string;
  readonly to: string;
  readonly method: string;
  readonly line: number;
}

const KINDS: Readonly<Record<string, FileKind>> = {
  tscn: "scene",
  scn: "scene",
  gd: "script",
  cs: "script",
  tres: "resource",
  res: "resource",
  gdshader: "shader",
  gdshaderinc: "shader",
  png: "image",
  jpg: "image",
  jpeg: "image",
  webp: "image",
  svg: "image",
  bmp: "image",
  tga: "image",
  hdr: "image",
  exr: "image",
  wav: "audio",
  ogg: "audio",
  mp3: "audio",
  ttf: "font",
  otf: "font",
  woff: "font",
  woff2: "font",
  fnt: "font",
  glb: "model",
  gltf: "model",
  fbx: "model",
  obj: "model",
  dae: "model",
  blend: "model",
  godot: "settings",
  cfg: "settings",
  gdextension: "settings",
  json: "data",
  csv: "data",
  po: "data",
  translation: "data",
  md: "document",
  txt: "document",
  uid: "sidecar",
  import: "sidecar",
};

export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

function kindOf(path: string): FileKind {
  return KINDS[extensionOf(path)] ?? "other";
}

const NOTHING: readonly never[] = [];
const NO_WORDS: ReadonlyMap<string, number> = new Map();
const NO_MEMBERS: ReadonlySet<string> = new Set();

export function noFacts(path: string, bytes: number, problem?: string): FileFacts {
  return {
    path,
    kind: kindOf(path),
    bytes,
    references: NOTHING,
    names: NOTHING,
    symbols: NOTHING,
    connections: NOTHING,
    words: NO_WORDS,
    members: NO_MEMBERS,
    computedLoads: NOTHING,
    ...(problem !== undefined && { problem }),
  };
}
