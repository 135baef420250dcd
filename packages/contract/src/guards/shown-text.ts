import type { Json } from "../json.ts";

/** Escapes hidden text, direction marks and cursor movements as `\u{202e}`; line breaks and tabs stay. */
export function visible(text: string): string {
  return escaped(text.toWellFormed().replaceAll("\r\n", "\n"), EVERYTHING_HIDDEN);
}

export function visibleJson(value: Json | undefined): string {
  return visible(JSON.stringify(value, null, 2) ?? "");
}

/** Escapes invisible and reordering characters as `<U+202E>`. Emoji stay whole. */
export function escapeInvisible(text: string): string {
  return escaped(text, HIDDEN_IN_PROSE);
}

/** The same on one line, so it cannot imitate several. */
export function oneLine(text: string): string {
  return escapeInvisible(text).replaceAll("\n", "<U+000A>");
}

/** Escapes invisible characters, and numbers list entries. */
export function formatLines(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) =>
      formatLines(one).map((line, at) => `${at === 0 ? `${index + 1}.` : "  "} ${line}`),
    );
  return escapeInvisible(typeof value === "string" ? value : JSON.stringify(value)).split("\n");
}

export function quotedLines(value: unknown): readonly string[] {
  return formatLines(value).map((line) => `│ ${line}`);
}

export function formatDuration(ms: number): string {
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [1_000, "s"];
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`;
}

/** `2026-11-19 02:10:33`, in UTC. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

interface Escapes {
  readonly hidden: RegExp;
  readonly shown: ReadonlySet<string>;
  readonly write: (hex: string) => string;
}

function escaped(text: string, { hidden, shown, write }: Escapes): string {
  return text.replaceAll(hidden, (character) =>
    shown.has(character) ? character : write((character.codePointAt(0) ?? 0).toString(16)),
  );
}

/**
 * Controls except tab and line end, formats (direction marks, joiners, tags), unusual separators, variation
 * selectors, private characters, and blank letters.
 */
const EVERYTHING_HIDDEN: Escapes = {
  hidden: /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu,
  shown: new Set(["\n", "\t"]),
  write: (hex) => `\\u{${hex}}`,
};

/** Line breaks, tabs and emoji joiners are harmless in prose. */
const HIDDEN_IN_PROSE: Escapes = {
  hidden: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
  shown: new Set(["\n", "\t", "\u200d"]),
  write: (hex) => `<U+${hex.toUpperCase().padStart(4, "0")}>`,
};

/** A client's name in plain letters, numbered if taken. */
export function freeName(clientName: string, others: readonly { readonly name: string }[]): string {
  const base =
    clientName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 30)
      .replace(/^-|-$/g, "") || "client";
  const taken = new Set(others.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
