import { type Heading, type Part, parsingDocument, STEP, type Steps } from "../formats/document.ts";
import { unquote } from "../formats/variant.ts";
import type {
  CodeSymbol,
  FileFacts,
  FileReference,
  NameUse,
  ReferenceKind,
  SceneConnection,
} from "./file-facts.ts";
import { readingScript } from "./script-facts.ts";

type SceneFacts = Pick<
  FileFacts,
  | "uid"
  | "type"
  | "references"
  | "names"
  | "symbols"
  | "connections"
  | "words"
  | "members"
  | "computedLoads"
  | "problem"
>;

/** Reads a `.tscn` or `.tres`. A syntax error discards the parts before it too. */
export function* readingScene(text: string, path: string): Steps<SceneFacts> {
  const parsed = yield* parsingDocument(text, "fields");
  const names: NameUse[] = [];
  const symbols: CodeSymbol[] = [];
  const connections: SceneConnection[] = [];
  const texts: FileReference[] = [];
  const external = new Map<string, { to: string; uid?: string; line: number; kind: ReferenceKind }>();
  const words = new Map<string, number>();
  const members = new Set<string>();
  const computedLoads: number[] = [];
  let uid: string | undefined;
  let type: string | undefined;
  let line = 1;
  let tag = "";
  let node: { -readonly [K in keyof CodeSymbol]: CodeSymbol[K] } | undefined;
  let hasRoot = false;
  const parts: readonly Part[] = parsed.ok ? parsed.value.parts : [];
  const mark = (raw: string | undefined, kind: ReferenceKind) => {
    const found = external.get(idOf(raw));
    if (found !== undefined) found.kind = kind;
  };

  for (const [index, part] of parts.entries()) {
    if (index % STEP === 0) yield;
    if (part.kind === "heading") {
      tag = part.tag;
      if (tag === "gd_scene" || tag === "gd_resource") {
        uid = field(part, "uid");
        type = field(part, "type");
      } else if (tag === "ext_resource") {
        const to = field(part, "path") ?? field(part, "uid") ?? "";
        const known = field(part, "uid");
        external.set(field(part, "id") ?? "", {
          to,
          line,
          kind: field(part, "type") === "Script" ? "script" : "resource",
          ...(known !== undefined && known !== to && { uid: known }),
        });
      } else if (tag === "node") {
        const name = nodePath(part);
        const instance = raw(part, "instance");
        const nodeType = field(part, "type");
        const made = external.get(idOf(instance));
        node = {
          kind: "node",
          name,
          line,
          ...(nodeType !== undefined && { of: nodeType }),
          ...(made !== undefined && { instance: made }),
        };
        symbols.push(node);
        if (name === "." && !hasRoot) {
          hasRoot = true;
          type = nodeType;
          mark(instance, "inherits");
        } else mark(instance, "instance");
        for (const group of strings(raw(part, "groups")))
          names.push({ kind: "group", name: group, line, how: "declared" });
      } else if (tag === "connection") {
        const [signal, from, to, method] = (["signal", "from", "to", "method"] as const).map(
          (name) => field(part, name) ?? "",
        ) as [string, string, string, string];
        connections.push({ signal, from, to, method, line });
        names.push(
          { kind: "signal", name: signal, line, how: "connected" },
          { kind: "method", name: method, line, how: "connected" },
        );
      }
    } else if (part.kind === "assignment") {
      const { name, value } = part;
      if (name === "script" && tag === "node" && node !== undefined) {
        mark(value, "script");
        if (value !== "null") node.script = external.get(idOf(value)) ?? "built-in";
      }
      if (value.includes("NodePath("))
        for (const [, node = ""] of value.matchAll(/NodePath\("([^"\\\n]{1,1000})"\)/g))
          names.push({ kind: "node", name: node, line, how: "used" });
      if (name === "script/source" && value.startsWith('"')) {
        const script = yield* readingScript(unquote(value), path);
        const moved = <T extends { readonly line: number }>(items: readonly T[]) =>
          items.map((item) => ({ ...item, line: item.line + line - 1 }));
        texts.push(...moved(script.references));
        names.push(...moved(script.names));
        symbols.push(...moved(script.symbols));
        computedLoads.push(...script.computedLoads.map((each) => each + line - 1));
        for (const [word, first] of script.words) if (!words.has(word)) words.set(word, first + line - 1);
        for (const member of script.members) members.add(member);
      } else if (value.includes("://"))
        for (const [, to = ""] of value.matchAll(/"((?:res|uid):\/\/[^"\\\n]{1,1000})"/g))
          texts.push({ kind: "text", to, line });
    }
    line += lineEnds(part.text);
  }
  return {
    uid,
    type,
    references: [
      ...Array.from(external.values(), (each): FileReference => each).filter(({ to }) => to !== ""),
      ...texts,
    ],
    names,
    symbols,
    connections,
    words,
    members,
    computedLoads,
    problem: parsed.ok ? undefined : parsed.failure.message,
  };
}

function raw(heading: Heading, name: string): string | undefined {
  return heading.fields.find((candidate) => candidate.name === name)?.value;
}

function field(heading: Heading, name: string): string | undefined {
  const value = raw(heading, name);
  return value?.startsWith('"') ? unquote(value) : value;
}

function nodePath(heading: Heading): string {
  const parent = field(heading, "parent");
  const name = field(heading, "name") ?? "";
  if (parent === undefined) return ".";
  return parent === "." ? name : `${parent}/${name}`;
}

/** The id in `ExtResource("1_a")` or `ExtResource(1)`. */
function idOf(value: string | undefined): string {
  return /^ExtResource\(\s*"?([^")\s]+)"?\s*\)/.exec(value ?? "")?.[1] ?? "";
}

function strings(value: string | undefined): string[] {
  return Array.from((value ?? "").matchAll(/"((?:[^"\\]|\\.){0,1000})"/g), ([literal]) => unquote(literal));
}

export function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
