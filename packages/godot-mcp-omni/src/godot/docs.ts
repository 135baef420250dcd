import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@toolpact/contract";
import { nearest } from "@toolpact/contract/internal";
import { makeFolder } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import type { GodotBinary } from "./binary.ts";
import { cacheFolder, type Environment, headlessEnvironment } from "./environment.ts";
import { packageFolder } from "./package-folder.ts";
import { runProcess } from "./process.ts";

export type DocsCode = "E_NOT_FOUND" | "E_TIMEOUT" | "E_UNSUPPORTED";

interface DocsOptions {
  readonly binary: GodotBinary;
  readonly env: Environment;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** By default one in the user's cache. */
  readonly folder?: string;
}

export interface Docs {
  /** The Godot version of the reference. */
  readonly version: string;
  /** A class, or one of its members, including inherited ones. */
  lookUp(name: string, member?: string): Promise<Result<ClassDoc, DocsCode>>;
  /** Searches classes and members by name, then by description. */
  search(query: string, limit?: number): readonly DocHit[];
}

export interface ClassDoc {
  readonly name: string;
  readonly inherits?: string;
  readonly brief: string;
  readonly description?: string;
  readonly properties?: readonly MemberDoc[];
  readonly methods?: readonly MemberDoc[];
  readonly signals?: readonly MemberDoc[];
  readonly constants?: readonly MemberDoc[];
  readonly annotations?: readonly MemberDoc[];
}

interface MemberDoc {
  readonly name: string;
  /** As in code: `speed: float = 1.0`, `move(by: Vector2) -> bool`. */
  readonly signature: string;
  readonly description?: string;
}

interface DocHit {
  readonly name: string;
  readonly member?: string;
  readonly kind: "class" | Kind;
  readonly brief?: string;
}

const KINDS = ["properties", "methods", "signals", "constants", "annotations"] as const;
type Kind = (typeof KINDS)[number];

interface IndexRow extends Readonly<Record<Kind, readonly string[]>> {
  readonly name: string;
  readonly inherits: string;
  readonly brief: string;
}

/** A class in the editor's cache; empty members are omitted. */
interface RawDoc extends Partial<Readonly<Record<Kind, readonly RawMember[]>>> {
  readonly name: string;
  readonly inherits?: string;
  readonly brief_description?: string;
  readonly description?: string;
}

interface RawMember {
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
  readonly default_value?: string;
  readonly return_type?: string;
  readonly arguments?: readonly RawMember[];
  readonly description?: string;
}

/**
 * The class reference of this exact Godot version, offline. A headless editor writes it on first use (some seconds);
 * after that it is read from the user's cache.
 */
export async function openDocs(options: DocsOptions): Promise<Result<Docs, DocsCode>> {
  const folder = options.folder ?? join(cacheFolder(options.env, process.platform), "docs");
  const kept = join(folder, options.binary.version);
  if (!existsSync(join(kept, "index.json"))) {
    const written = await writeDocs(options, folder, kept);
    if (!written.ok) return written;
  }
  // Written by docs.gd in this shape.
  const index = JSON.parse(await readFile(join(kept, "index.json"), "utf8")) as IndexRow[];
  const rows = new Map(index.map((row) => [row.name, row]));
  return ok({
    version: options.binary.version,
    lookUp: (name, member) => lookUp(kept, rows, name, member),
    search: (query, limit = 20) => search(index, query, limit),
  });
}

async function lookUp(
  folder: string,
  rows: ReadonlyMap<string, IndexRow>,
  name: string,
  member: string | undefined,
): Promise<Result<ClassDoc, DocsCode>> {
  if (!rows.has(name)) return unknown("class", name, [...rows.keys()]);
  if (member === undefined) return ok(readable(await readRaw(folder, name)));
  const seen: string[] = [];
  for (let row = rows.get(name); row !== undefined; row = rows.get(row.inherits)) {
    if (KINDS.some((kind) => row?.[kind].includes(member))) {
      const doc = readable(await readRaw(folder, row.name), member);
      return ok(doc);
    }
    seen.push(...KINDS.flatMap((kind) => row?.[kind] ?? []));
  }
  return unknown(`member of ${name}`, member, seen);
}

function search(index: readonly IndexRow[], query: string, limit: number): DocHit[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored: { hit: DocHit; score: number }[] = [];
  const consider = (hit: DocHit, name: string, text: string) => {
    const score = wanted.reduce((sum, word) => {
      if (name === word) return sum + 8;
      if (name.startsWith(word)) return sum + 4;
      if (name.includes(word)) return sum + 3;
      return text.includes(word) ? sum + 1 : sum - 4;
    }, 0);
    if (score > 0) scored.push({ hit, score });
  };
  for (const row of index) {
    const brief = docText(row.brief);
    const name = row.name.toLowerCase();
    consider({ name: row.name, kind: "class", brief }, name, brief.toLowerCase());
    for (const kind of KINDS)
      for (const member of row[kind]) consider({ name: row.name, member, kind }, member.toLowerCase(), name);
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit }) => hit);
}

async function readRaw(folder: string, name: string): Promise<RawDoc> {
  // Written by docs.gd from the editor's own records.
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as RawDoc;
}

function readable(raw: RawDoc, only?: string): ClassDoc {
  const members = KINDS.flatMap((kind): [Kind, MemberDoc[]][] => {
    const list = (raw[kind] ?? []).filter((member) => only === undefined || member.name === only);
    return list.length === 0 ? [] : [[kind, list.map((member) => memberDoc(kind, member))]];
  });
  return {
    name: raw.name,
    ...(raw.inherits && { inherits: raw.inherits }),
    brief: docText(raw.brief_description ?? ""),
    ...(only === undefined && raw.description && { description: docText(raw.description) }),
    ...Object.fromEntries(members),
  };
}

function memberDoc(kind: Kind, member: RawMember): MemberDoc {
  const description = docText(member.description ?? "");
  return { name: member.name, signature: signature(kind, member), ...(description && { description }) };
}

function signature(kind: Kind, member: RawMember): string {
  if (kind === "constants") return `${member.name} = ${member.value ?? ""}`;
  if (kind === "properties") return typed(member);
  const args = (member.arguments ?? []).map(typed).join(", ");
  return `${member.name}(${args})${kind === "methods" ? ` -> ${member.return_type ?? "void"}` : ""}`;
}

function typed({ name, type, default_value: initial }: RawMember): string {
  return `${name}: ${type ?? "Variant"}${initial === undefined || initial === "" ? "" : ` = ${initial}`}`;
}

async function writeDocs(
  options: DocsOptions,
  folder: string,
  kept: string,
): Promise<Result<undefined, DocsCode>> {
  await makeFolder(folder, 0o777);
  const workshop = await mkdtemp(join(folder, "writing-"));
  try {
    const [project, home, drafts] = ["project", "home", "classes"].map((name) => join(workshop, name)) as [
      string,
      string,
      string,
    ]; // one path for each name
    await mkdir(project);
    await mkdir(drafts);
    await writeFile(join(project, "project.godot"), "config_version=5\n");
    const run = {
      clock: options.clock ?? systemClock,
      timeoutMs: 120_000,
      ...(options.signal && { signal: options.signal }),
    };
    const env = headlessEnvironment(options.env, home);
    // An editor writes the reference of its built-in classes, with descriptions, into its cache.
    const edited = await runProcess(options.binary.path, {
      ...run,
      env,
      args: ["--headless", "--editor", "--path", project, "--quit"],
    });
    if (!edited.ok) return edited;
    const record = (await readdir(home, { recursive: true })).find((file) =>
      /editor_doc_cache[^/\\]*\.res$/.test(file),
    );
    if (record === undefined) return noReference(edited.value.output);
    const turned = await runProcess(options.binary.path, {
      ...run,
      env: { ...env, GODOT_MCP_DOCS_FROM: join(home, record), GODOT_MCP_DOCS_TO: drafts },
      args: ["--headless", "--path", project, "--script", join(packageFolder, "engine/docs.gd")],
    });
    if (!turned.ok) return turned;
    if (!existsSync(join(drafts, "index.json"))) return noReference(turned.value.output);
    // Another server may have written the same in the meantime.
    await rename(drafts, kept).catch(() => undefined);
    return ok(undefined);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

function noReference(output: readonly string[]): Result<never, DocsCode> {
  return errors.fail("E_UNSUPPORTED", "This Godot does not hand out its class reference.", {
    details: { output: output.slice(-10) },
  });
}

function unknown(what: string, name: string, known: readonly string[]): Result<never, DocsCode> {
  const near = nearest(name, known);
  return errors.fail("E_NOT_FOUND", `There is no ${what} "${name}".`, {
    ...(near !== undefined && { suggestedFix: `Did you mean ${near}?` }),
    details: { name, ...(near !== undefined && { nearest: near }) },
  });
}

/** Godot's documentation markup as plain text with backticks; only GDScript examples are kept. */
export function docText(markup: string): string {
  return dedent(markup)
    .replace(/\[csharp\b[^\]]*\][\s\S]*?\[\/csharp\]\n?/g, "")
    .replace(/\[\/?codeblocks\]\n?/g, "")
    .replace(/\[(?:gdscript|codeblock)\b[^\]]*\]\n?/g, "```gdscript\n")
    .replace(/\n?\s*\[\/(?:gdscript|codeblock)\]/g, "\n```")
    .replace(/\[code\b[^\]]*\]([\s\S]*?)\[\/code\]/g, "`$1`")
    .replace(
      /\[(?:method|member|signal|constant|enum|param|annotation|theme_item|constructor|operator)\s+([^\]]+)\]/g,
      "`$1`",
    )
    .replace(/\[url=([^\]]*)\]([\s\S]*?)\[\/url\]/g, "$2 ($1)")
    .replace(/\[\/?(?:b|i|u|s|center|kbd|br)\]/g, "")
    .replace(/\[(@?[A-Z]\w*)\]/g, "`$1`")
    .replace(/\[lb\]/g, "[")
    .replace(/\[rb\]/g, "]")
    .trim();
}

function dedent(text: string): string {
  const lines = text.split("\n");
  const indents = lines
    .filter((line) => line.trim() !== "")
    .map((line) => /^\t*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents, 99);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join("\n");
}
