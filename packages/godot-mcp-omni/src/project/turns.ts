import { createHash } from "node:crypto";
import path from "node:path";
import type { Failure } from "@toolpact/contract";
import { withFileLock } from "@toolpact/file-lock";
import type { Failed } from "@toolpact/outcome";
import { errors } from "../errors.ts";

type InTurn<T> = Promise<T | Failed<Failure<"E_TIMEOUT">>>;

/**
 * Runs work on a file in sequence, across all servers of the project, so that no change is lost between reading and
 * writing.
 */
export class Turns {
  private readonly locks: () => Promise<string>;
  private readonly last = new Map<string, Promise<unknown>>();

  /** `locks` is a folder that all servers of the project share. */
  constructor(locks: () => Promise<string>) {
    this.locks = locks;
  }

  /** Several files are locked in a fixed order, so that there is no deadlock. */
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
