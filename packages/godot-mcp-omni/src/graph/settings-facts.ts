import { parseDocument } from "../formats/document.ts";
import { unquote } from "../formats/variant.ts";
import { type FileFacts, type FileReference, type NameUse, noFacts } from "./file-facts.ts";
import { lineEnds } from "./scene-facts.ts";
import { besides } from "./script-facts.ts";

/** Reads `project.godot`, `plugin.cfg` and other files of sections. */
export function settingsFacts(text: string, path: string, bytes: number): FileFacts {
  const parsed = parseDocument(text, "names");
  if (!parsed.ok) return noFacts(path, bytes, parsed.failure.message);
  const references: FileReference[] = [];
  const names: NameUse[] = [];
  // A setting may name a class, such as the main loop.
  const words = new Map<string, number>();
  const isProject = path === "res://project.godot";
  let section = "";
  let line = 1;
  for (const part of parsed.value.parts) {
    if (part.kind === "heading") section = part.tag;
    else if (part.kind === "assignment") {
      const { name, value } = part;
      if (isProject && section === "input") names.push({ kind: "action", name, line, how: "declared" });
      else if (isProject && section === "global_group")
        names.push({ kind: "group", name, line, how: "declared" });
      else if (isProject && section === "autoload") {
        names.push({ kind: "autoload", name, line, how: "declared" });
        references.push({ kind: "autoload", to: pathIn(value), line });
      } else if (path.endsWith("/plugin.cfg") && section === "plugin" && name === "script")
        references.push({ kind: "setting", to: besides(pathIn(value), path), line });
      else if (isProject && /^"\w+"$/.test(value)) words.set(value.slice(1, -1), line);
      else if (value.includes("://"))
        for (const [, to = ""] of value.matchAll(/"\*?((?:res|uid):\/\/[^"\\\n]{1,1000})"/g))
          references.push({ kind: "setting", to, line });
    }
    line += lineEnds(part.text);
  }
  return { ...noFacts(path, bytes), references, names, words };
}

/** A star marks an autoload as a global name. */
function pathIn(value: string): string {
  return value.startsWith('"') ? unquote(value).replace(/^\*/, "") : value;
}

/** The autoloads of `project.godot`, by name. */
export function autoloadsOf(facts: FileFacts | undefined): ReadonlyMap<string, string> {
  const lines = new Map(
    facts?.references.flatMap((each): [number, string][] =>
      each.kind === "autoload" ? [[each.line, each.to]] : [],
    ),
  );
  return new Map(
    facts?.names.flatMap((each): [string, string][] => {
      const to = each.kind === "autoload" ? lines.get(each.line) : undefined;
      return to === undefined ? [] : [[each.name, to]];
    }),
  );
}
