import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { makeFolderSync } from "@toolpact/file-lock";
import { ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { writeAtomically } from "./atomic-write.ts";
import { type JournalEntry, type JournalFile, nameOf, readEntry, UNDONE } from "./journal-entry.ts";

/** A file with known new content; null if it is removed. */
export interface PlannedFile {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

export interface OpenEntry {
  readonly id: number;
  /** Records the current files. Removes the entry if nothing changed. */
  readonly close: () => Promise<void>;
  /**
   * Restores the old contents and removes the entry. Replaced content of an unknown writer is kept;
   * `replaced` names the file with it.
   */
  readonly rollBack: () => Promise<{ readonly replaced?: string }>;
  /** Removes the entry and leaves the files as they are. */
  readonly drop: () => Promise<void>;
}

export type Direction = "undo" | "redo";

export interface HistoryOptions {
  readonly path?: string | undefined;
  /** Only this change, even if later ones changed other files. */
  readonly id?: number | undefined;
  /** Even if another program has changed the file since. */
  readonly force?: boolean | undefined;
}

export type HistoryCode = "E_NOT_FOUND" | "E_PERMISSION_DENIED";

export interface JournalOptions {
  readonly folder: () => Promise<string>;
  /** Whether there is a journal yet; reading creates none. */
  readonly exists: () => boolean;
  /** Whether a path in an entry may be written: a cloned project can contain a journal. */
  readonly isAllowed: (res: string) => Promise<boolean>;
  /** The absolute path of a `res://` path that was checked when it was changed. */
  readonly absolute: (res: string) => string;
  /** The `res://` path with all links resolved: the target changes, not the link. */
  readonly real: (res: string) => string;
  readonly now: () => number;
  readonly keep?: number;
}

const MAX_ENTRIES = 200;
/** Old entries are removed in batches, so most changes need not look for them. */
const PRUNE_EVERY = 50;
const CONTENT = "content";

/**
 * The edits of a project, for undo and redo: one small file per entry, and the contents next to them by digest. The
 * result of a change is a second line of its entry, since appending is cheaper than a new file. Nothing here is flushed:
 * a killed process loses nothing, and after a power failure the scenes themselves are what matters.
 */
export class Journal {
  private readonly options: JournalOptions;
  private made: string | undefined;
  /** The id of this process's last entry, unless something was undone since. */
  private last: number | undefined;
  /** Whether there may be entries that could be redone. */
  private mayRedo = true;

  constructor(options: JournalOptions) {
    this.options = options;
  }

  /** Stores the content of files. Call it before they change. */
  async begin(label: string, changing: readonly (string | PlannedFile)[]): Promise<OpenEntry> {
    const last = this.last ?? Number.parseInt((await this.names())[0] ?? "0", 10);
    const files = await Promise.all(changing.map((file) => this.begun(file)));
    const entry = await this.create({ at: this.options.now(), label, files, undone: false }, last);
    this.last = entry.id;
    if (entry.id % PRUNE_EVERY === 0) await this.prune();
    return {
      id: entry.id,
      close: async () => {
        const settled = await Promise.all(files.map((file) => this.settled(file)));
        const changed = settled.filter((file) => file.before !== file.after);
        if (changed.length === 0) return this.drop(nameOf(entry));
        await this.endRedo();
        if (changed.length < files.length || files.some((file) => file.after === undefined))
          appendFileSync(path.join(await this.folder(), nameOf(entry)), `\n${JSON.stringify(changed)}`);
      },
      rollBack: async () => {
        let replaced: string | undefined;
        for (const file of files) {
          const now = await this.contentOf(file.path);
          const digest = digestOf(now);
          if (digest === file.before) continue;
          // Changes by another program in the meantime are kept.
          if (file.after !== undefined && digest !== file.after) continue;
          if (file.after === undefined && digest !== null) {
            await this.keep(now);
            replaced = await this.contentFile(digest);
          }
          await this.restore(file.path, file.before);
        }
        await this.abandon(entry);
        return replaced === undefined ? {} : { replaced };
      },
      drop: () => this.abandon(entry),
    };
  }

  /** The newest first; with a path, only entries that changed that file. */
  async entries(res?: string, limit = Number.POSITIVE_INFINITY): Promise<readonly JournalEntry[]> {
    if (!this.options.exists()) return [];
    const folder = await this.folder();
    const real = res === undefined ? undefined : this.options.real(res);
    const entries: JournalEntry[] = [];
    for (const name of await this.names()) {
      if (entries.length >= limit) break;
      const entry = readEntry(path.join(folder, name));
      if (entry === undefined || !touches(entry, real)) continue;
      const allowed = await Promise.all(entry.files.map((file) => this.options.isAllowed(file.path)));
      if (allowed.every(Boolean)) entries.push(entry);
    }
    return entries;
  }

  /** The entry that the next undo or redo would use. */
  async next(direction: Direction, { path: res, id }: HistoryOptions): Promise<JournalEntry | undefined> {
    const entries = await this.entries(res);
    if (id !== undefined)
      return entries.find((entry) => entry.id === id && entry.undone === (direction === "redo"));
    return direction === "undo"
      ? entries.find((entry) => !entry.undone)
      : entries.findLast((entry) => entry.undone);
  }

  /** Content of a file by the digest in an entry; undefined if the journal no longer has it. */
  async content(digest: string) {
    const place = await this.contentFile(digest);
    const content = existsSync(place) ? readFileSync(place) : undefined;
    return digestOf(content ?? null) === digest ? content : undefined;
  }

  /** Undoes the last change, or redoes the last undone one. */
  async step(direction: Direction, options: HistoryOptions): Promise<Result<JournalEntry, HistoryCode>> {
    const entry = await this.next(direction, options);
    if (entry === undefined) return nothing(direction, options.path);
    const [wanted, left] =
      direction === "undo" ? (["before", "after"] as const) : (["after", "before"] as const);
    const refused =
      (await this.lost(entry, wanted)) ?? (options.force ? undefined : await this.changedSince(entry));
    if (refused !== undefined) return refused;
    const files: JournalFile[] = [];
    if (direction === "undo" && !entry.isStepping && (await this.isTakenBack(entry))) {
      // Its new content is lost, so it cannot be redone.
      await this.drop(nameOf(entry));
      return ok({ ...entry, undone: true });
    }
    for (const file of entry.files) {
      const replaced = await this.keep(await this.contentOf(file.path));
      files.push(replaced === file[wanted] ? file : { ...file, [left]: replaced });
    }
    return this.put({ ...entry, files, isStepping: true }, wanted);
  }

  /** Records that an editor undid or redid a change of one file in its own history. The replaced content is kept. */
  async mark(id: number, undone: boolean, replaced: string | Uint8Array | null): Promise<void> {
    const name = nameOf({ id, undone: !undone });
    const entry = readEntry(path.join(await this.folder(), name));
    if (entry === undefined) return;
    const digest = await this.keep(replaced === null ? null : Buffer.from(replaced));
    const files = entry.files.map((file) => ({ ...file, [undone ? "after" : "before"]: digest }));
    this.last = undefined;
    this.mayRedo = true;
    await this.store({ ...entry, files, undone });
    await this.drop(name);
  }

  /** Removes entries that could be redone: a new change ends that. */
  private async endRedo(): Promise<void> {
    if (!this.mayRedo) return;
    for (const name of await this.names()) if (name.endsWith(UNDONE)) await this.drop(name);
    this.mayRedo = false;
  }

  private async begun(file: string | PlannedFile): Promise<JournalFile> {
    const path = this.options.real(typeof file === "string" ? file : file.path);
    const content = await this.contentOf(path);
    if (typeof file === "string") return { path, before: await this.keep(content) };
    // A file that is about to be replaced as a whole is not copied: the journal keeps the existing one.
    const before = await this.keep(content, this.options.absolute(path));
    return { path, before, after: digestOf(file.content) };
  }

  private async settled(file: JournalFile): Promise<JournalFile> {
    return file.after === undefined ? { ...file, after: digestOf(await this.contentOf(file.path)) } : file;
  }

  /** Restores one side of an entry. The other side is stored in the entry first, so no content is lost. */
  private async put(entry: JournalEntry, side: "before" | "after") {
    this.last = undefined;
    this.mayRedo = true;
    await this.store(entry);
    for (const file of entry.files) {
      const digest = file[side];
      if (digest !== undefined) await this.restore(file.path, digest);
    }
    const { isStepping: _, ...whole } = entry;
    const marked = { ...whole, undone: side === "before" };
    await this.store(marked);
    await this.drop(nameOf(entry));
    return ok(marked);
  }

  /** Whether another program has restored all files of a change. */
  private async isTakenBack({ files }: JournalEntry): Promise<boolean> {
    const now = await Promise.all(files.map((file) => this.contentOf(file.path)));
    return files.every(
      ({ before, after }, at) => after !== undefined && digestOf(now[at] ?? null) === before,
    );
  }

  /** Refuses if another program has changed a file since. */
  private async changedSince(entry: JournalEntry) {
    for (const file of entry.files) {
      if (file.after === undefined) continue;
      // An interrupted change or undo left each file on one of the two sides.
      const now = digestOf(await this.contentOf(file.path));
      if (now === file.before || now === file.after) continue;
      return errors.fail("E_PERMISSION_DENIED", `${file.path} was changed since "${entry.label}".`, {
        details: { gate: "journal", path: file.path },
        suggestedFix: "Read the file; call again with force to restore it anyway.",
        fixBy: "agent",
      });
    }
    return undefined;
  }

  /** Refuses if a stored content is missing or incomplete. */
  private async lost(entry: JournalEntry, wanted: "before" | "after") {
    for (const file of entry.files) {
      const digest = file[wanted];
      if (digest === null || digest === undefined) continue;
      const place = await this.contentFile(digest);
      if (existsSync(place) && digestOf(readFileSync(place)) === digest) continue;
      return errors.fail("E_NOT_FOUND", `The journal no longer has the old content of ${file.path}.`, {
        details: { path: file.path },
        suggestedFix: "Restore it from version control.",
        fixBy: "operator",
      });
    }
    return undefined;
  }

  private async contentOf(res: string): Promise<Buffer | null> {
    const file = this.options.absolute(res);
    return existsSync(file) ? readFileSync(file) : null;
  }

  private async keep(content: Buffer | null, replaced?: string): Promise<string | null> {
    const digest = digestOf(content);
    if (content === null || digest === null) return null;
    const place = await this.contentFile(digest);
    const stored = statSync(place, { throwIfNoEntry: false });
    if (stored === undefined) {
      if (replaced === undefined || !isLinked(replaced, place)) writeFileSync(place, content);
      // A process that was killed here left a shorter file, or one that the project still uses and may change.
    } else if (stored.size !== content.length || stored.nlink > 1)
      await writeAtomically(place, content, await this.drafts(), { sync: false });
    return digest;
  }

  private async restore(res: string, digest: string | null): Promise<void> {
    const file = this.options.absolute(res);
    if (digestOf(await this.contentOf(res)) === digest) return;
    if (digest === null) rmSync(file, { force: true });
    else await writeAtomically(file, readFileSync(await this.contentFile(digest)), await this.drafts());
  }

  private async create(entry: Omit<JournalEntry, "id">, last: number): Promise<JournalEntry> {
    const folder = await this.folder();
    // Two servers on one project do not use the same id.
    for (let id = last + 1; ; id++) {
      const numbered = { ...entry, id };
      try {
        writeFileSync(path.join(folder, nameOf(numbered)), JSON.stringify(numbered), { flag: "wx" });
        return numbered;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }

  private async store(entry: JournalEntry): Promise<void> {
    const file = path.join(await this.folder(), nameOf(entry));
    await writeAtomically(file, JSON.stringify(entry), await this.drafts(), { sync: false });
  }

  private async drop(name: string): Promise<void> {
    rmSync(path.join(await this.folder(), name), { force: true });
  }

  /** Drops an entry whose change did not happen. Its stored content may still be the project's own file, and change. */
  private async abandon(entry: JournalEntry): Promise<void> {
    await this.drop(nameOf(entry));
    for (const { before } of entry.files) {
      const place = before == null ? undefined : await this.contentFile(before);
      const isShared = place !== undefined && (statSync(place, { throwIfNoEntry: false })?.nlink ?? 1) > 1;
      if (isShared) rmSync(place, { force: true });
    }
  }

  private async prune(): Promise<void> {
    const old = (await this.names()).slice(this.options.keep ?? MAX_ENTRIES);
    for (const name of old) await this.drop(name);
    const used = new Set(
      (await this.entries()).flatMap((entry) => entry.files.flatMap((file) => [file.before, file.after])),
    );
    const contents = path.join(await this.folder(), CONTENT);
    for (const name of readdirSync(contents))
      if (!used.has(name)) rmSync(path.join(contents, name), { force: true });
  }

  /** File names of the entries, the newest first. */
  private async names(): Promise<string[]> {
    const names = readdirSync(await this.folder());
    return names
      .filter((name) => /^\d+(?:\.undone)?\.json$/.test(name))
      .sort()
      .reverse();
  }

  /** Created again if it was deleted while the server ran. */
  private async folder(): Promise<string> {
    if (this.made !== undefined && existsSync(path.join(this.made, CONTENT))) return this.made;
    const folder = await this.options.folder();
    makeFolderSync(path.join(folder, CONTENT), 0o777);
    this.made = folder;
    return folder;
  }

  private async contentFile(digest: string): Promise<string> {
    return path.join(await this.folder(), CONTENT, digest);
  }

  private async drafts(): Promise<string> {
    return path.join(await this.folder(), "drafts");
  }
}

/** Whether a file has a second hard link now. Not every file system supports that. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch {
    return false;
  }
}

function touches(entry: JournalEntry, res: string | undefined): boolean {
  return res === undefined || entry.files.some((file) => file.path === res);
}

function nothing(direction: Direction, res: string | undefined) {
  return errors.fail(
    "E_NOT_FOUND",
    `There is nothing to ${direction}${res === undefined ? "" : ` for ${res}`}.`,
  );
}

/** The name of a content in an entry. */
export function digestOf(content: string | Uint8Array | null): string | null {
  return content === null ? null : createHash("sha256").update(content).digest("hex");
}
