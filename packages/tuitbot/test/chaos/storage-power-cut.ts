import { execFile, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** The library that watches the disk from inside a process requires Linux and a compiler. */
export const canWatchDisk: boolean = process.platform === "linux" && hasCompiler();

function hasCompiler(): boolean {
  const isThere = spawnSync("cc", ["--version"]).status === 0;
  if (!isThere)
    console.warn("\n!!! SKIPPED: there is no C compiler (cc), so no power cut or full disk is tried.");
  return isThere;
}

/** A folder on a disk whose power can be cut: what was never synced is lost. */
export interface FragileDisk {
  /** The environment of a process whose writes to the folder count. */
  readonly env: NodeJS.ProcessEnv;
  /** Leaves in the folder what was synced, and of the rest what `survives` picks. No process may be using it. */
  readonly cutPower: (survives?: () => boolean) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Watches a folder, which need not exist yet. What is in it now is on the disk. */
export async function fragileDisk(folder: string): Promise<FragileDisk> {
  const own = await mkdtemp(join(tmpdir(), "tuitbot-disk-"));
  const library = await diskLibrary();
  const [log, before] = [join(own, "log"), join(own, "before")];

  async function startAgain(): Promise<void> {
    await rm(before, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await cp(folder, before, { recursive: true });
    await writeFile(log, "");
  }

  await startAgain();
  return {
    env: { LD_PRELOAD: library, DISK_LOG: log, DISK_LOG_ROOT: folder },
    async cutPower(survives = () => false) {
      const files = afterPowerCut(await filesIn(before), readLog(await readFile(log), folder), survives);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      for (const [name, content] of files) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content, { mode: 0o600 });
      }
      await startAgain();
    },
    remove: () => rm(own, { recursive: true, force: true }),
  };
}

let compiled: Promise<string> | undefined;

/** The library that watches the disk from inside a process. */
export function diskLibrary(): Promise<string> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tuitbot-disk-library-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const library = join(folder, "disk-log.so");
  const source = new URL("./storage-disk-log.c", import.meta.url).pathname;
  await promisify(execFile)("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  return library;
}

interface Change {
  readonly kind: "write" | "truncate" | "sync" | "unlink";
  /** Relative to the folder; empty for the folder itself. */
  readonly name: string;
  readonly offset: number;
  readonly data: Buffer;
}

/** The content of the files when the power comes back. A name is on the disk with the first sync of its file. */
function afterPowerCut(
  before: ReadonlyMap<string, Buffer>,
  changes: readonly Change[],
  survives: () => boolean,
): ReadonlyMap<string, Buffer> {
  const synced = new Map(before);
  const waiting = new Map<string, Change[]>();
  const apply = (change: Change) => {
    const content = synced.get(change.name) ?? Buffer.alloc(0);
    if (change.kind === "unlink") synced.delete(change.name);
    else synced.set(change.name, changed(content, change));
  };
  for (const change of changes) {
    const { kind, name } = change;
    if (kind !== "sync") {
      waiting.set(name, [...(waiting.get(name) ?? []), change]);
      continue;
    }
    // Syncing a folder makes the absence of its files last.
    const last = name === "" ? [...waiting.keys()].filter((one) => isGone(waiting.get(one))) : [name];
    for (const one of last) {
      for (const done of waiting.get(one) ?? []) apply(done);
      if (name !== "" && !synced.has(one)) synced.set(one, Buffer.alloc(0));
      waiting.delete(one);
    }
  }
  for (const change of [...waiting.values()].flat()) if (survives()) apply(change);
  // The memory that connections share is made anew.
  for (const name of synced.keys()) if (name.endsWith("-shm")) synced.delete(name);
  return synced;
}

function isGone(changes: readonly Change[] | undefined): boolean {
  return changes?.at(-1)?.kind === "unlink";
}

function changed(content: Buffer, { kind, offset, data }: Change): Buffer {
  const length = kind === "truncate" ? offset : Math.max(content.length, offset + data.length);
  const after = Buffer.alloc(length);
  content.copy(after);
  data.copy(after, offset);
  return after;
}

const KINDS: Readonly<Record<string, Change["kind"]>> = {
  w: "write",
  t: "truncate",
  s: "sync",
  u: "unlink",
};
const HEADER_BYTES = 24;

/** The records as storage-disk-log.c writes them. */
function readLog(log: Buffer, folder: string): readonly Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < log.length; ) {
    const kind = KINDS[String.fromCharCode(log.readUInt32LE(at))];
    if (kind === undefined) throw new Error(`There is no such record at ${at}.`);
    const offset = Number(log.readBigUInt64LE(at + 8));
    const pathEnd = at + HEADER_BYTES + log.readUInt32LE(at + 4);
    const end = pathEnd + Number(log.readBigUInt64LE(at + 16));
    const name = log.toString("utf8", at + HEADER_BYTES, pathEnd).slice(folder.length + 1);
    changes.push({ kind, name, offset, data: log.subarray(pathEnd, end) });
    at = end;
  }
  return changes;
}

async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const),
  );
  return new Map(contents);
}
