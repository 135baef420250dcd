import type { ExportedVariable, ScriptOutline } from "./script-outline.ts";

/** What a C# script declares to Godot, as far as its text shows it. */
export function csharpOutlineOf(source: string): ScriptOutline {
  const code = withoutComments(source);
  const [, name, base] = /\bclass\s+(\w+)\s*:\s*(?:Godot\.)?(\w+)/.exec(code) ?? [];
  return {
    extends: base === "GodotObject" ? "Object" : (base ?? "RefCounted"),
    className: code.includes("[GlobalClass") ? name : undefined,
    exports: exportsOf(code),
    // Godot names a signal as its delegate, without the ending.
    signals: all(code, /\[Signal\]\s*(?:public\s+)?delegate\s+void\s+(\w+?)EventHandler\b/g),
    methods: all(
      code,
      /\b(?:public|private|protected|internal)\s+(?:(?:override|static|async|virtual)\s+)*[\w<>[\]?.]+\s+(\w+)\s*\(/g,
    ),
  };
}

/** Fields and properties: `[Export] public float Speed { get; set; } = 3f;` */
function exportsOf(code: string): ReadonlyMap<string, ExportedVariable> {
  const declared =
    /\[Export(?:\([^\]\n]*\))?[^\]\n]*\]\s*(?:(?:public|private|protected|internal|new|readonly)\s+)*([\w.<>[\]?]+)\s+(\w+)\s*(?:\{[^}]*\})?\s*(?:=\s*([^;\n]*))?/g;
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

/** Undefined where only Godot knows it, as for generic collections. */
function godotType(type: string): string | undefined {
  const plain = type.replace(/^Godot\./, "").replace(/\?$/, "");
  return TYPES[plain] ?? (/^\w+$/.test(plain) ? plain : undefined);
}

/** A number or text as Godot writes it; anything else is computed. */
function plainValue(text: string | undefined): string | undefined {
  const plain = text?.trim().replace(/^(-?[\d.]+)[fFdDmM]$/, "$1");
  return plain !== undefined && /^(?:-?[\d.]+|true|false|"[^"\\]*")$/.test(plain) ? plain : undefined;
}

function all(code: string, pattern: RegExp): string[] {
  return Array.from(code.matchAll(pattern), (match) => match[1] ?? "");
}

function withoutComments(source: string): string {
  return source.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1");
}
