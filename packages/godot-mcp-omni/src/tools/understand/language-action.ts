import type { Json } from "@toolpact/contract";
import { isJsonObject } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import * as z from "zod";
import { errors } from "../../errors.ts";
import { type LanguageServer, lineOf } from "../../language/language-server.ts";
import type { Project } from "../../project/project.ts";
import { count as amount, list, maybe, severity, text } from "../../shapes.ts";
import { count, type ToolAnswer } from "../product.ts";
import { place } from "./graph-actions.ts";
import { pageInput, pageOf, pageShape } from "./pages.ts";

export const languageInput = z.strictObject({
  ask: z.enum(["diagnostics", "symbols", "completion", "hover", "definition"]).describe("What to get"),
  path: place,
  line: z.int().min(1).optional().describe("From 1; not for diagnostics and symbols"),
  column: z.int().min(1).optional().describe("From 1; a tab is one"),
  ...pageInput,
});

const item = z.strictObject({
  path: maybe,
  line: amount.exactOptional(),
  name: maybe,
  kind: maybe,
  detail: maybe,
  severity: severity.exactOptional(),
  message: maybe,
});

export const languageAnswer = z.strictObject({
  path: text,
  items: list(item),
  /** Text of a hover, in Markdown. */
  hover: maybe,
  ...pageShape,
});

type Item = z.infer<typeof item>;

export interface LanguageWork {
  readonly project: Project;
  readonly workspace: { readonly language: LanguageServer };
  readonly signal: AbortSignal;
}

const METHODS = {
  symbols: "textDocument/documentSymbol",
  completion: "textDocument/completion",
  hover: "textDocument/hover",
  definition: "textDocument/definition",
} as const;

export async function askLanguageServer(
  { project, workspace: { language }, signal }: LanguageWork,
  { ask, path, line, column, ...page }: z.infer<typeof languageInput>,
): Promise<ToolAnswer<z.infer<typeof languageAnswer>>> {
  if (path === undefined) return errors.fail("E_SCHEMA_VALIDATION", "Give the script in path.");
  const read = await project.readText(path);
  if (!read.ok) return read;
  const { res } = read.value.path;
  if (res.endsWith(".cs"))
    return errors.fail("E_UNSUPPORTED", `${res} is C#, and Godot's language server knows GDScript alone.`, {
      details: { path: res },
      suggestedFix: "Ask godot_diagnostics scripts for its errors.",
      fixBy: "agent",
    });
  if (!res.endsWith(".gd"))
    return errors.fail("E_SCHEMA_VALIDATION", `${res} is not a GDScript: its name must end in .gd.`);
  const isPlaced = ask === "completion" || ask === "hover" || ask === "definition";
  if (isPlaced && line === undefined)
    return errors.fail("E_SCHEMA_VALIDATION", `Give the line, and the column, that ${ask} is asked at.`);
  const at = isPlaced && line !== undefined ? { line, column: column ?? 1 } : undefined;
  if (ask === "diagnostics") {
    const found = await language.diagnostics(res, read.value.text, signal);
    if (!found.ok) return found;
    return answered(
      res,
      found.value.map((each): Item => ({ ...each })),
      page,
      "problem",
    );
  }
  const answer = await language.ask(METHODS[ask], res, read.value.text, at, signal);
  if (!answer.ok) return answer;
  switch (ask) {
    case "symbols":
      return answered(res, symbolsIn(answer.value), page, "symbol");
    case "completion":
      return answered(res, completionsIn(answer.value), page, "completion");
    case "definition":
      return answered(res, placesIn(answer.value, language), page, "place");
    case "hover": {
      const hover = hoverIn(answer.value);
      const shown = answered(res, [], page, "item");
      if (hover === "" || !shown.ok)
        return errors.fail("E_NOT_FOUND", `Godot knows nothing about ${res}:${line}:${column ?? 1}.`);
      return ok(
        { ...shown.value, hover },
        { summary: hover.split("\n", 1)[0] ?? "", execution: { mode: "engine" } },
      );
    }
  }
}

function answered(path: string, all: readonly Item[], page: Parameters<typeof pageOf>[1], what: string) {
  const { items, ...more } = pageOf(all, page);
  return ok(
    { path, items, ...more },
    { summary: `${count(all.length, what)} in ${path}.`, execution: { mode: "engine" as const } },
  );
}

/** Names of the protocol's symbol kinds that GDScript uses. */
const SYMBOL_KINDS: Readonly<Record<number, string>> = {
  5: "class",
  6: "method",
  7: "property",
  8: "field",
  10: "enum",
  12: "function",
  13: "variable",
  14: "constant",
  22: "enum member",
  24: "signal",
};

function symbolsIn(value: Json, within = ""): Item[] {
  return objectsIn(value).flatMap((symbol) => {
    const name = within === "" ? String(symbol.name) : `${within}.${String(symbol.name)}`;
    const kind = SYMBOL_KINDS[Number(symbol.kind)];
    const detail = typeof symbol.detail === "string" && symbol.detail !== "" ? symbol.detail : undefined;
    return [
      {
        name,
        line: lineOf(symbol.range),
        ...(kind !== undefined && { kind }),
        ...(detail !== undefined && { detail }),
      },
      // The script itself is the first symbol, and the rest is in it.
      ...symbolsIn(symbol.children ?? null, kind === "class" ? (within === "" ? "" : name) : name),
    ];
  });
}

function completionsIn(value: Json): Item[] {
  const items = isJsonObject(value) ? (value.items ?? null) : value;
  return objectsIn(items).map(({ label, detail }) => ({
    name: String(label),
    ...(typeof detail === "string" && detail !== "" && { detail }),
  }));
}

function placesIn(value: Json, language: LanguageServer): Item[] {
  return objectsIn(Array.isArray(value) ? value : [value]).flatMap(({ uri, range }) => {
    const path = language.pathOf(uri);
    return path === undefined ? [] : [{ path, line: lineOf(range) }];
  });
}

function hoverIn(value: Json): string {
  const contents = isJsonObject(value) ? value.contents : undefined;
  const parts = Array.isArray(contents) ? contents : [contents ?? null];
  return parts
    .map((part) => (isJsonObject(part) ? String(part.value ?? "") : typeof part === "string" ? part : ""))
    .join("\n")
    .trim();
}

function objectsIn(value: Json) {
  return (Array.isArray(value) ? value : []).filter(isJsonObject);
}
