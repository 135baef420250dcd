import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import { errors } from "../errors.ts";
import { writeAtomically } from "./atomic-write.ts";
import { type JournalEntry, type JournalFile, nameOf, readEntry, UNDONE } from "./journal-entry.ts";

/** A file whose new content is known beforehand; null where it goes. */
export interface PlannedFile {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

export interface OpenEntry {
  /** Notes what is on the disk now. Where nothing changed, the entry goes. */
  readonly close: () => Promise<void>;
  /** Puts back what was there before, and drops the entry. */
  readonly rollBack: () => Promise<void>;
}

export interface Journal {
  /** To be called before files change: keeps what they hold. */
  readonly begin: (label: string, files: readonly (string | PlannedFile)[]) => Promise<OpenEntry>;
  /** The newest first; of those that touched one file, where a path is given. */
  readonly entries: (path?: string) => Promise<readonly JournalEntry[]>;
  /** The entry that the next step would be about. */
  readonly next: (direction: Direction, options: HistoryOptions) => Promise<JournalEntry | undefined>;
  /** Takes the last change back, or does again what was taken back. */
  readonly step: (
    direction: Direction,
    options: HistoryOptions,
  ) => Promise<Outcome<JournalEntry, Failure<HistoryCode>>>;
}

export type Direction = "undo" | "redo";

export interface HistoryOptions {
  /** Only a change that touched this file. */
  readonly path?: string | undefined;
  /** Also when the file was changed since by someone else. */
  readonly force?: boolean | undefined;
}

export type HistoryCode = "E_NOT_FOUND" | "E_PERMISSION_DENIED";

export interface JournalOptions {
  /** The journal's own folder. */
  readonly folder: () => Promise<string>;
  /** The absolute path of a `res://` path that was checked when it was changed. */
  readonly absolute: (res: string) => string;
  /** The `res://` path of the file that a path leads to through links: that one changes, not the link. */
  readonly real: (res: string) => string;
  readonly now: () => number;
  readonly keep?: number;
}

const KEPT_ENTRIES = 200;
/** Old entries go a few at a time, so that most changes do not look for them. */
const PRUNE_EVERY = 50;
const CONTENT = "content";

export function openJournal(options: JournalOptions): Journal {
  return new FileJournal(options);
}

/**
 * One small file per entry, and the contents beside them by digest. What a change came to is a second line of its
 * entry, since a new file costs the disk more than a longer one. Nothing here waits for the disk: a killed process loses
 * nothing, and after a power cut the scenes themselves are what matters.
 */
class FileJournal implements Journal {
  private readonly options: JournalOptions;
  private made: string | undefined;
  /** Number of this process's last entry, as long as nothing was undone since. */
  private last: number | undefined;

  constructor(options: JournalOptions) {
    this.options = options;
  }

  readonly begin = async (label: string, changing: readonly (string | PlannedFile)[]): Promise<OpenEntry> => {
    const last = this.last ?? (await this.lookAround());
    const files = await Promise.all(changing.map((file) => this.begun(file)));
    const entry = await this.create({ at: this.options.now(), label, files, undone: false }, last);
    this.last = entry.id;
    if (entry.id % PRUNE_EVERY === 0) await this.prune();
    return {
      close: async () => {
        const settled = await Promise.all(files.map((file) => this.settled(file)));
        const changed = settled.filter((file) => file.before !== file.after);
        if (changed.length === 0) await this.drop(nameOf(entry));
        else if (changed.length < files.length || files.some((file) => file.after === undefined))
          appendFileSync(path.join(await this.folder(), nameOf(entry)), `\n${JSON.stringify(changed)}`);
      },
      rollBack: async () => {
        for (const file of files) {
          // What someone else has written meanwhile is theirs.
          const isOurs = file.after === undefined || digestOf(await this.contentOf(file.path)) === file.after;
          if (isOurs) await this.restore(file.path, file.before);
        }
        await this.drop(nameOf(entry));
      },
    };
  };

  readonly entries = async (res?: string): Promise<readonly JournalEntry[]> => {
    const folder = await this.folder();
    const real = res === undefined ? undefined : this.options.real(res);
    return (await this.names())
      .flatMap((name) => readEntry(path.join(folder, name)) ?? [])
      .filter((entry) => touches(entry, real));
  };

  readonly next = async (direction: Direction, { path: res }: HistoryOptions) => {
    const entries = await this.entries(res);
    return direction === "undo"
      ? entries.find((entry) => !entry.undone)
      : entries.findLast((entry) => entry.undone);
  };

  readonly step = async (direction: Direction, options: HistoryOptions) => {
    const entry = await this.next(direction, options);
    if (entry === undefined) return nothing(direction, options.path);
    const [wanted, left] =
      direction === "undo" ? (["before", "after"] as const) : (["after", "before"] as const);
    const refused =
      (await this.lost(entry, wanted)) ?? (options.force ? undefined : await this.changedSince(entry));
    if (refused !== undefined) return refused;
    const files: JournalFile[] = [];
    for (const file of entry.files) {
      const replaced = await this.keep(await this.contentOf(file.path));
      files.push(replaced === file[wanted] ? file : { ...file, [left]: replaced });
    }
    return this.put({ ...entry, files }, wanted);
  };

  /** Drops what could have been done again, since a new change is the end of it, and tells the last number. */
  private async lookAround(): Promise<number> {
    const names = await this.names();
    for (const name of names) if (name.endsWith(UNDONE)) await this.drop(name);
    return Number.parseInt(names[0] ?? "0", 10);
  }

  private async begun(file: string | PlannedFile): Promise<JournalFile> {
    const path = this.options.real(typeof file === "string" ? file : file.path);
    const before = await this.keep(await this.contentOf(path));
    if (typeof file === "string") return { path, before };
    return { path, before, after: digestOf(file.content) };
  }

  private async settled(file: JournalFile): Promise<JournalFile> {
    return file.after === undefined ? { ...file, after: digestOf(await this.contentOf(file.path)) } : file;
  }

  /** Gives the files one side of an entry, which names the other by then: no content goes that nothing leads to. */
  private async put(entry: JournalEntry, side: "before" | "after") {
    this.last = undefined;
    await this.store(entry);
    for (const file of entry.files) {
      const digest = file[side];
      if (digest !== undefined) await this.restore(file.path, digest);
    }
    const marked = { ...entry, undone: side === "before" };
    await this.store(marked);
    await this.drop(nameOf(entry));
    return ok(marked);
  }

  /** A file that someone else changed since is theirs. */
  private async changedSince(entry: JournalEntry) {
    for (const file of entry.files) {
      if (file.after === undefined) continue;
      // A change or an undo that was cut short left each file on one side or the other.
      const now = digestOf(await this.contentOf(file.path));
      if (now === file.before || now === file.after) continue;
      return errors.fail("E_PERMISSION_DENIED", `${file.path} was changed since "${entry.label}".`, {
        details: { gate: "journal", path: file.path },
        suggestedFix: "Look at the file; call again with force to put it back all the same.",
        fixBy: "agent",
      });
    }
    return undefined;
  }

  /** Half of a content must never take a file's place. */
  private async lost(entry: JournalEntry, wanted: "before" | "after") {
    for (const file of entry.files) {
      const digest = file[wanted];
      if (digest === null || digest === undefined) continue;
      const place = await this.contentFile(digest);
      if (existsSync(place) && digestOf(readFileSync(place)) === digest) continue;
      return errors.fail("E_NOT_FOUND", `The journal no longer holds ${file.path} as it was.`, {
        details: { path: file.path },
        suggestedFix: "Bring it back from version control.",
        fixBy: "operator",
      });
    }
    return undefined;
  }

  private async contentOf(res: string): Promise<Buffer | null> {
    const file = this.options.absolute(res);
    return existsSync(file) ? readFileSync(file) : null;
  }

  private async keep(content: Buffer | null): Promise<string | null> {
    const digest = digestOf(content);
    if (content === null || digest === null) return null;
    const place = await this.contentFile(digest);
    const kept = statSync(place, { throwIfNoEntry: false });
    if (kept === undefined) writeFileSync(place, content);
    // A process that was killed here left less of it.
    else if (kept.size !== content.length)
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
    // Two servers on one project take numbers in turn.
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

  private async prune(): Promise<void> {
    const old = (await this.names()).slice(this.options.keep ?? KEPT_ENTRIES);
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

  /** Made anew when someone took it away while the server ran. */
  private async folder(): Promise<string> {
    if (this.made !== undefined && existsSync(path.join(this.made, CONTENT))) return this.made;
    const folder = await this.options.folder();
    mkdirSync(path.join(folder, CONTENT), { recursive: true });
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

function touches(entry: JournalEntry, res: string | undefined): boolean {
  return res === undefined || entry.files.some((file) => file.path === res);
}

function nothing(direction: Direction, res: string | undefined) {
  return errors.fail(
    "E_NOT_FOUND",
    `There is nothing to ${direction}${res === undefined ? "" : ` for ${res}`}.`,
  );
}

function digestOf(content: string | Uint8Array | null): string | null {
  return content === null ? null : createHash("sha256").update(content).digest("hex");
}
