import { isDeepStrictEqual } from "node:util";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type JsonObject } from "../json.ts";

interface Changed {
  readonly content: string;
  readonly hadEntry: boolean;
}

/** Replaces only the server's tables, and only if the result parses to the expected value. */
export async function setTomlEntry(
  before: string,
  member: string,
  name: string,
  entry: JsonObject,
): Promise<Outcome<Changed, string>> {
  const was = await tomlIn(before);
  if (was === undefined) return failed("is not TOML, so it was left alone.");
  const servers = was[member] ?? {};
  const wanted = isJsonObject(servers) ? { ...was, [member]: { ...servers, [name]: entry } } : undefined;
  if (isDeepStrictEqual(was, wanted)) return ok({ content: before, hadEntry: true });
  const own = `${member}.${tomlKey(name)}`;
  const newline = before.includes("\r\n") ? "\r\n" : "\n";
  const table = tomlTable(own, entry).replaceAll("\n", newline);
  const { kept, at } = withoutTable(before, own);
  const content =
    at === undefined
      ? `${before}${before === "" ? "" : before.endsWith("\n") ? newline : newline.repeat(2)}${table}`
      : kept.slice(0, at) + table + kept.slice(at);
  if (!isDeepStrictEqual(await tomlIn(content), wanted))
    return failed(`does not hold ${name} as a separate table, so it was left alone.`);
  return ok({ content, hadEntry: at !== undefined });
}

export async function tomlIn(text: string): Promise<JsonObject | undefined> {
  const { parse } = await import("smol-toml");
  try {
    // The parser's objects have no prototype; a clone can be compared with ours. Dates are only compared.
    return structuredClone(parse(text)) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Removes this table and its subtables. Comments before the next table belong to that table and stay. */
function withoutTable(text: string, own: string): { readonly kept: string; readonly at: number | undefined } {
  let kept = "";
  let waiting = "";
  let at: number | undefined;
  let isInside = false;
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      const isOwn = header === own || header.startsWith(`${own}.`);
      if (!(isOwn && isInside)) kept += waiting;
      waiting = "";
      isInside = isOwn;
      if (isOwn) at ??= kept.length;
    }
    if (!isInside) kept += line;
    else if (/^\s*(#|$)/.test(line)) waiting += line;
    else waiting = "";
  }
  return { kept: kept + waiting, at };
}

export function tomlTable(path: string, table: JsonObject): string {
  const members = Object.entries(table).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const plain = members.filter(([, value]) => !isJsonObject(value));
  const tables = members.filter(([, value]) => isJsonObject(value));
  return [
    `[${path}]\n`,
    ...plain.map(([key, value]) => `${tomlKey(key)} = ${JSON.stringify(value)}\n`),
    ...tables.map(([key, value]) => `\n${tomlTable(`${path}.${tomlKey(key)}`, value as JsonObject)}`),
  ].join("");
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Removes a server's tables only. Fails with the end of a sentence about the file. */
export async function removeTomlEntry(
  before: string,
  member: string,
  name: string,
): Promise<Outcome<string, string>> {
  const was = await tomlIn(before);
  const servers = was?.[member];
  if (!isJsonObject(servers)) return failed("is not TOML, so it was left alone.");
  const { [name]: _, ...others } = servers;
  const { kept } = withoutTable(before, `${member}.${tomlKey(name)}`);
  const now = await tomlIn(kept);
  const isRest = isDeepStrictEqual({ ...now, [member]: now?.[member] ?? {} }, { ...was, [member]: others });
  return isRest ? ok(kept) : failed(`does not hold ${name} as a separate table, so it was left alone.`);
}
