import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import type { AuditRecord, Json, JsonObject } from "@toolpact/contract";
import { maskSecrets, redact } from "@toolpact/contract/internal";
import { makeFolderSync } from "@toolpact/file-lock";

export interface AuditLogOptions {
  /** The folder of the log, created when missing. */
  readonly folder: () => Promise<string>;
  readonly maxBytes: number;
  readonly backups: number;
  /** Secrets of this server; they are removed from the log. */
  readonly secrets: readonly string[];
}

/** Longer texts in arguments are cut: the log is a record, not a copy. */
const MAX_TEXT_LENGTH = 2_000;

interface AuditLog {
  /** Resolves when the line is on the disk. `hidden` are texts of this call to remove from the log. */
  readonly write: (record: AuditRecord, summary: string, hidden?: readonly string[]) => Promise<void>;
}

/** A log of all calls on the project: one line of JSON per call, rotated by size. */
export function auditLog({ folder, maxBytes, backups, secrets }: AuditLogOptions): AuditLog {
  // Writes run in sequence, so a rotation does not overlap an append.
  let last: Promise<void> = Promise.resolve();

  async function append(record: AuditRecord, summary: string, hidden: readonly string[]): Promise<void> {
    const file = path.join(await folder(), "audit.log");
    const line = `${lineOf(record, summary, [...secrets, ...hidden])}\n`;
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate(file, backups);
    try {
      appendPrivately(file, line);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      makeFolderSync(path.dirname(file));
      appendPrivately(file, line);
    }
  }

  return {
    write(record, summary, hidden = []) {
      const turn = last.then(() => append(record, summary, hidden));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

/** Makes the file readable by this user only, even if it existed. A link in its place is not followed. */
function appendPrivately(file: string, line: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;
  const log = openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    fchmodSync(log, 0o600);
    appendFileSync(log, line);
  } finally {
    closeSync(log);
  }
}

/** The texts that masking removed from the arguments. A message may quote them. */
export function secretsIn(given: Json, masked: Json): string[] {
  if (typeof given === "string") return given === masked ? [] : [given];
  if (typeof given !== "object" || given === null) return [];
  // Masking replaces a member by a text, or keeps its shape.
  const kept = (typeof masked === "object" && masked !== null ? masked : {}) as JsonObject;
  return Object.entries(given).flatMap(([key, member]) => secretsIn(member ?? null, kept[key] ?? null));
}

function lineOf(record: AuditRecord, summary: string, secrets: readonly string[]): string {
  const masked = (text: string) => cut(maskSecrets(text, secrets));
  const line: JsonObject = {
    ts: new Date(record.at).toISOString(),
    correlationId: record.id,
    tool: record.tool,
    action: record.action ?? null,
    client: record.client ?? null,
    args: mapTexts(redact(record.input), masked),
    ok: record.outcome === "done",
    summary: masked(summary),
    outcome: record.outcome,
    code: record.code ?? null,
    durationMs: Math.round(record.elapsedMs),
  };
  return JSON.stringify(line);
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), mapTexts(member ?? null, change)]),
  );
}

function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH
    ? `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)`
    : text;
}

/** `audit.log.2` → `audit.log.3`, `audit.log.1` → `audit.log.2`, `audit.log` → `audit.log.1`. */
function rotate(file: string, backups: number): void {
  rmSync(`${file}.${backups}`, { force: true });
  for (let index = backups - 1; index >= 0; index--) {
    const from = index === 0 ? file : `${file}.${index}`;
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${file}.${index + 1}`);
  }
  if (backups === 0) rmSync(file, { force: true });
}
