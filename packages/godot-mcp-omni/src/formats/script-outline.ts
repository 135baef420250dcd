import { dirname, join } from "node:path/posix";

/** The declarations of a GDScript, as far as its text shows them. */
export interface ScriptOutline {
  /** A class, or the path of a script. */
  readonly extends: string;
  readonly className: string | undefined;
  /** Exported variables by name. */
  readonly exports: ReadonlyMap<string, ExportedVariable>;
  readonly signals: readonly string[];
  readonly methods: readonly string[];
  /** Whether its code runs while a scene is edited. */
  readonly isTool: boolean;
}

interface ExportedVariable {
  /** Undefined if the text does not declare it. */
  readonly type: string | undefined;
  /** As written, even if it is an expression. */
  readonly value: string | undefined;
}

export function outlineOf(source: string): ScriptOutline {
  const code = withoutComments(source);
  return {
    extends: baseOf(code) ?? "RefCounted",
    className: classNameOf(code),
    exports: exportsOf(code),
    signals: all(code, /^signal\s+(\w+)/gm),
    methods: all(code, /^(?:static\s+)?func\s+(\w+)/gm),
    isTool: /^@tool\b/m.test(code),
  };
}

/** At the beginning of a line, after annotations and the class's name. */
const EXTENDS =
  /^[ \t]*(?:@\w+(?:\([^)\n]*\))?\s+){0,10}(?:class_name\s+\w+\s+)?extends\s+(?:"([^"\n]*)"|'([^'\n]*)'|([\w.]+))/m;

/** The base that a script declares: a class, or the path of a script, relative to its own folder or absolute. */
export function baseOf(code: string): string | undefined {
  const [, double, single, name] = EXTENDS.exec(code) ?? [];
  return double ?? single ?? name;
}

export function extendsLine(code: string): number {
  return code.slice(0, EXTENDS.exec(code)?.index ?? 0).split("\n").length;
}

export function classNameOf(code: string): string | undefined {
  return /^(?:@\w+(?:\([^)\n]*\))?\s+){0,10}class_name\s+(\w+)/m.exec(code)?.[1];
}

/** The path of the script that another one extends, or undefined if it extends a class. */
export function basePath(base: string, script: string): string | undefined {
  if (base.includes("://")) return base;
  return base.endsWith(".gd") ? `res://${join(dirname(script.replace("res://", "")), base)}` : undefined;
}

/** `@export_range(0, 10) var speed: float = 3.0`, also with the annotation on a separate line. */
function exportsOf(code: string): ReadonlyMap<string, ExportedVariable> {
  // No two parts of it match the same text, so a hostile script cannot make it slow.
  const declared =
    /^@export(?!_(?:category|group|subgroup)\b)\w*(?:\((?:[^()\n"']|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\((?:[^()\n]|\([^()\n]*\))*\))*\))?(?:[ \t]*@\w+(?:\((?:[^()\n"']|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\((?:[^()\n]|\([^()\n]*\))*\))*\))?)*\s+(?:static\s+)?var\s+(\w+)\s*(?::\s*([\w.]+(?:\[[\w., ]*\])?)\s*)?(?:(:?=)\s*([^\n]*))?/gm;
  return new Map(
    Array.from(code.matchAll(declared), ([, name = "", type, , value]) => [
      name,
      { type: type ?? literalType(value), value: value?.trim() },
    ]),
  );
}

function literalType(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (/^(?:true|false)\s*$/.test(value)) return "bool";
  if (/^-?\d+\s*$/.test(value)) return "int";
  if (/^-?\d*\.\d*\s*$/.test(value)) return "float";
  if (/^["']/.test(value)) return "String";
  return /^(Vector[234]i?|Color|Rect2i?|Transform[23]D|Quaternion|Basis|Plane|AABB)\b/.exec(value)?.[1];
}

function all(code: string, pattern: RegExp): string[] {
  return Array.from(code.matchAll(pattern), (match) => match[1] ?? "");
}

/** A text that is not closed ends with its line: looking for its end again from each mark would take too long. */
function withoutComments(source: string): string {
  return source.replace(/("""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|#[^\n]*/g, "$1");
}

/** The declarations of a C# script that Godot sees, as far as its text shows them. */
export function csharpOutlineOf(source: string): ScriptOutline {
  const code = withoutCsharpComments(source);
  const [, name, base] = /\bclass\s+(\w+)\s*:\s*(?:Godot\.)?(\w+)/.exec(code) ?? [];
  return {
    extends: base === "GodotObject" ? "Object" : (base ?? "RefCounted"),
    className: code.includes("[GlobalClass") ? name : undefined,
    exports: csharpExportsOf(code),
    // Godot names a signal after its delegate, without the suffix.
    signals: all(code, /\[Signal\]\s*(?:public\s+)?delegate\s+void\s+(\w+?)EventHandler\b/g),
    methods: all(
      code,
      /\b(?:public|private|protected|internal)\s+(?:(?:override|static|async|virtual)\s+)*[\w<>[\]?.]+\s+(\w+)\s*\(/g,
    ),
    isTool: /\[Tool\b/.test(code),
  };
}

/** Fields and properties: `[Export] public float Speed { get; set; } = 3f;` */
function csharpExportsOf(code: string): ReadonlyMap<string, ExportedVariable> {
  const declared =
    /\[Export[^\][\n]*\]\s*(?:(?:public|private|protected|internal|new|readonly)\s+){0,5}([\w.][\w.<>[\]?]{0,200})\s+(\w+)\s*(?:\{[^}]{0,2000}\})?\s*(?:=\s*([^;\n]*))?/g;
  return new Map(
    Array.from(code.matchAll(declared), ([, type = "", name = "", value]) => [
      name,
      { type: godotType(type), value: plainValue(value) },
    ]),
  );
}

const TYPES: Readonly<Record<string, string>> = {
  bool: "bool",
  sbyte: "int",
  byte: "int",
  short: "int",
  ushort: "int",
  int: "int",
  uint: "int",
  long: "int",
  ulong: "int",
  float: "float",
  double: "float",
  string: "String",
  Vector2I: "Vector2i",
  Vector3I: "Vector3i",
  Vector4I: "Vector4i",
  Rect2I: "Rect2i",
  Aabb: "AABB",
};

/** Undefined if only Godot can determine it, as for generic collections. */
function godotType(type: string): string | undefined {
  const plain = type.replace(/^Godot\./, "").replace(/\?$/, "");
  return TYPES[plain] ?? (/^\w+$/.test(plain) ? plain : undefined);
}

/** A number or string as Godot writes it; undefined for anything computed. */
function plainValue(text: string | undefined): string | undefined {
  const plain = text?.trim().replace(/^(-?[\d.]+)[fFdDmM]$/, "$1");
  return plain !== undefined && /^(?:-?[\d.]+|true|false|"[^"\\]*")$/.test(plain) ? plain : undefined;
}

function withoutCsharpComments(source: string): string {
  return source.replace(/("(?:[^"\\\n]|\\.)*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, "$1");
}
