import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Failure } from "@toolpact/contract";
import { withFileLock } from "@toolpact/file-lock";
import { type Failed, ok } from "@toolpact/outcome";
import { errors, type Result } from "../errors.ts";
import { inSlices } from "../formats/document.ts";
import { SceneText } from "../formats/scene-text.ts";
import { CHANGED, type Draft, draftOf, isWriteProtected, sweepDrafts } from "./atomic-write.ts";
import { type Direction, type HistoryCode, type HistoryOptions, Journal } from "./journal.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { type PathCode, type ProjectPath, projectPath, realPlace } from "./project-path.ts";
import { hasState, stateFolder, stateProblem } from "./state-folder.ts";

/** A file to write, or to remove if the content is null. */
export interface FileChange {
  readonly path: ProjectPath;
  readonly content: string | Uint8Array | null;
  /** Content of the file when it was read, null for no file. If it has changed since, nothing is written. */
  readonly was?: string | Uint8Array | null | undefined;
}

interface ProjectText {
  readonly path: ProjectPath;
  readonly text: string;
}

export type FileCode = PathCode | "E_NOT_FOUND" | "E_UNSUPPORTED";

const KEPT_SCENES = 8;
/** From this length on, only one parsed scene is kept. */
const LARGE_SCENE = 1_000_000;

/** The files of one project. Tools reach them only through this class. */
export class Project {
  /** Real path of the folder that contains `project.godot`. */
  readonly root: string;
  readonly journal: Journal;
  private readonly now: () => number;
  private swept = false;
  private readonly turns: Turns;
  /** The most recently parsed scenes, by path. */
  private readonly scenes = new Map<string, SceneText>();

  constructor(root: string, now: () => number) {
    this.root = root;
    this.now = now;
    this.turns = new Turns(async () => path.join(await stateFolder(root), "locks"));
    this.journal = new Journal({
      folder: async () => path.join(await stateFolder(root), "journal"),
      exists: () => hasState(root) && stateProblem(root) === undefined,
      isAllowed: async (res) => (await this.resolve(res)).ok,
      absolute: (res) => this.absolute(res),
      real: (res) => this.real(res),
      now,
    });
  }

  /** Resolves a path from a caller, if it is allowed. */
  resolve(given: string): Promise<Result<ProjectPath, PathCode>> {
    return projectPath(this.root, given);
  }

  /** For resolved paths only. */
  absolute(res: string): string {
    return path.join(this.root, res.slice("res://".length));
  }

  private real(res: string): string {
    const place = realPlace(this.absolute(res));
    const relative = place === undefined ? ".." : path.relative(this.root, place);
    return relative.startsWith("..") ? res : `res://${relative.split(path.sep).join("/")}`;
  }

  async exists(given: string): Promise<boolean> {
    const found = await this.resolve(given);
    return found.ok && existsSync(found.value.absolute);
  }

  async readBytes(given: string): Promise<Result<{ path: ProjectPath; bytes: Buffer }, FileCode>> {
    const found = await this.resolve(given);
    return found.ok ? this.bytesAt(found.value) : found;
  }

  /** For a path that was just resolved. */
  async bytesAt(place: ProjectPath): Promise<Result<{ path: ProjectPath; bytes: Buffer }, FileCode>> {
    try {
      return ok({ path: place, bytes: readFileSync(place.absolute) });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EISDIR")
        return errors.fail("E_SCHEMA_VALIDATION", `${place.res} is a folder, not a file.`);
      if (code === "EACCES") return denied(place.res, "read");
      return errors.fail("E_NOT_FOUND", `There is no file ${place.res}.`, {
        details: { path: place.res },
        suggestedFix: "Look for it with godot_code file.search.",
      });
    }
  }

  async readText(given: string): Promise<Result<ProjectText, FileCode>> {
    const found = await this.resolve(given);
    return found.ok ? this.textAt(found.value) : found;
  }

  async textAt(place: ProjectPath): Promise<Result<ProjectText, FileCode>> {
    const read = await this.bytesAt(place);
    if (!read.ok) return read;
    const { bytes } = read.value;
    if (!isUtf8(bytes) || bytes.subarray(0, 4).toString("latin1") === "RSRC" || bytes.includes(0))
      return errors.fail("E_UNSUPPORTED", `${place.res} is not a text file.`, {
        details: { path: place.res },
      });
    return ok({ path: place, text: bytes.toString("utf8") });
  }

  /** Parses the text of a scene and shares unchanged parts with its previously parsed version. */
  async parseScene(res: string, text: string): Promise<ReturnType<typeof SceneText.parse>> {
    const parsed = await inSlices(SceneText.parsing(text, this.scenes.get(res)));
    this.scenes.delete(res);
    if (text.length > LARGE_SCENE) this.scenes.clear();
    if (parsed.ok) this.scenes.set(res, parsed.value);
    for (const oldest of this.scenes.keys()) if (this.scenes.size > KEPT_SCENES) this.scenes.delete(oldest);
    return parsed;
  }

  /** The text of a file inside the project, for parsers that follow references; `.godot` included. */
  async textOf(res: string): Promise<string | undefined> {
    if (res.startsWith("res://.godot/")) return this.engineText(res);
    const read = await this.readText(res);
    return read.ok ? read.value.text : undefined;
  }

  private engineText(res: string): string | undefined {
    const file = this.absolute(res);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** The refusal of a write-protected file, for edits that Godot writes. */
  refusedWrite(place: ProjectPath) {
    return isWriteProtected(place.absolute) ? denied(place.res, "write") : undefined;
  }

  /** Writes new content to the disk; only `commit-edit.ts` puts it in place. */
  async draft(place: ProjectPath, content: string | Uint8Array): Promise<Draft> {
    const own = await stateFolder(this.root);
    const drafts = path.join(own, "drafts");
    if (!this.swept)
      for (const folder of [drafts, path.join(own, "journal/drafts")]) sweepDrafts(folder, this.now());
    this.swept = true;
    return draftOf(place.absolute, content, drafts);
  }

  /** Undoes or redoes one change of the journal, in turn with other work on its files. */
  async step(
    direction: Direction,
    options: HistoryOptions,
  ): Promise<Result<JournalEntry, HistoryCode | "E_TIMEOUT">> {
    for (;;) {
      const next = await this.journal.next(direction, options);
      const files = next?.files.map((file) => file.path) ?? [];
      const stepped = await this.inTurn(files, async () => {
        const now = await this.journal.next(direction, options);
        const isOther = now?.files.some((file) => !files.includes(file.path));
        return isOther ? undefined : this.journal.step(direction, options);
      });
      // Earlier work in the queue may have been a later change of other files.
      if (stepped !== undefined) return stepped;
    }
  }

  /** Runs work on files, named by any path, after earlier work on them. */
  inTurn<T>(
    files: string | readonly string[],
    work: () => Promise<T>,
  ): Promise<T | Failed<Failure<"E_TIMEOUT">>> {
    const all = typeof files === "string" ? [files] : files;
    return this.turns.take(
      all.map((res) => this.real(res)),
      work,
    );
  }

  /** Every file below a folder in order of name, without closed folders and those that Godot ignores. */
  async *files(under: ProjectPath): AsyncGenerator<ProjectPath> {
    const entries = await readdir(under.absolute, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.name === ".gdignore")) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith(".")) continue;
      const place = {
        absolute: path.join(under.absolute, entry.name),
        res: under.res === "res://" ? `res://${entry.name}` : `${under.res}/${entry.name}`,
      };
      // Links are not followed: their targets are listed in place, or are outside the project.
      if (entry.isDirectory()) yield* this.files(place);
      else if (entry.isFile()) yield place;
    }
  }
}

export function denied(res: string, doing: string) {
  return errors.fail("E_PERMISSION_DENIED", `This server has no permission to ${doing} ${res}.`, {
    details: { gate: "file_system", path: res },
    suggestedFix: "Give the user that runs this server that permission.",
    fixBy: "operator",
  });
}

export function conflict(res: string) {
  return errors.fail(
    "E_PERMISSION_DENIED",
    `Another program has changed ${res} in the meantime; its version was kept.`,
    {
      details: { gate: "conflict", path: res },
      suggestedFix: "Look at the file, and call again if it is still right.",
      fixBy: "agent",
    },
  );
}

export function diskFailure(error: NodeJS.ErrnoException, res: string, state = "nothing was changed") {
  if (error.code === CHANGED) return conflict(res);
  if (error.code === "EACCES" || error.code === "EPERM" || error.code === "EROFS")
    return denied(res, "write");
  // An error without a code is not one of the system, but a bug.
  if (error.code === undefined) throw error;
  return errors.fail(
    "E_PERMISSION_DENIED",
    `The system did not let ${res} be written (${error.code}); ${state}.`,
    {
      details: { gate: "disk", path: res, reason: error.code },
      suggestedFix: error.code === "ENOSPC" ? "Make room on the disk." : "Check the disk.",
      fixBy: "operator",
    },
  );
}

type InTurn<T> = Promise<T | Failed<Failure<"E_TIMEOUT">>>;

/**
 * Runs work on a file in sequence, across all servers of the project: no change is lost between reading and
 * writing.
 */
class Turns {
  private readonly locks: () => Promise<string>;
  private readonly last = new Map<string, Promise<unknown>>();

  /** `locks` is a folder that all servers of the project share. */
  constructor(locks: () => Promise<string>) {
    this.locks = locks;
  }

  /** Several files are locked in a fixed order to prevent deadlocks. */
  take<T>(files: readonly string[], work: () => Promise<T>): InTurn<T> {
    const ordered = [...new Set(files)].sort();
    return ordered.reduceRight<() => InTurn<T>>((next, file) => () => this.takeOne(file, next), work)();
  }

  private takeOne<T>(file: string, work: () => Promise<T>): InTurn<T> {
    const locked = () => this.locked(file, work);
    const before = this.last.get(file) ?? Promise.resolve();
    const turn = before.then(locked, locked);
    const settled = turn.catch(() => {});
    this.last.set(file, settled);
    void settled.then(() => {
      if (this.last.get(file) === settled) this.last.delete(file);
    });
    return turn;
  }

  private async locked<T>(file: string, work: () => Promise<T>): InTurn<T> {
    const name = createHash("sha256").update(file).digest("hex").slice(0, 32);
    const folder = await this.locks().catch(() => undefined);
    // The folder is write-protected, so nothing can be lost; the work reports it.
    if (folder === undefined) return work();
    const done = await withFileLock(path.join(folder, name), { giveUpMs: GIVE_UP_MS }, work);
    if (done.ok) return done.value;
    if (done.failure.kind === "unusable") return work();
    return errors.fail("E_TIMEOUT", `Another server has kept ${file} locked for too long.`, {
      details: { path: file, aborted: true },
      suggestedFix: "Try again, or end the other server.",
    });
  }
}

const GIVE_UP_MS = 120_000;
