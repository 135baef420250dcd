import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { makeFolder } from "@toolpact/file-lock";
import type { Access } from "@toolpact/x-api";
import type { Config } from "../config/schema.ts";
import { keepBrowsers, restoreBrowsers } from "../storage/kept-browsers.ts";
import type { FoundSandbox } from "../x/joined-sandbox.ts";

/** A sandbox that a server of this person runs. */
export interface RunningSandbox extends FoundSandbox {
  readonly pid: number;
  /** Has its database and its approval key. */
  readonly folder: string;
}

/** Makes the folder of a sandbox that this process is about to run; undefined where none can be made. */
export async function sandboxFolder(home: string, now: number): Promise<string | undefined> {
  const folders = foldersOf(home);
  try {
    await removeDead(home);
    await makeFolder(folders);
    const folder = await mkdtemp(join(folders, `${process.pid}-${hostname()}-`));
    await restoreBrowsers(folder, now);
    return folder;
  } catch {
    return undefined;
  }
}

/** Says in its folder, which only its owner can read, where a sandbox is. */
export async function announceSandbox(folder: string, url: string, access: Access): Promise<void> {
  const { plan, isPremium } = access;
  const content = JSON.stringify({ started_at: Date.now(), url, plan, premium: isPremium });
  // Written to a new file and renamed: readers see the whole file or none.
  await writeFile(join(folder, `${FILE}.new`), content, { mode: 0o600 });
  await rename(join(folder, `${FILE}.new`), join(folder, FILE));
}

/** The sandbox that started last of those that run. */
export async function findSandbox(
  home: string,
  fetch: typeof globalThis.fetch,
): Promise<RunningSandbox | undefined> {
  const { sandboxTime } = await import("../x/joined-sandbox.ts");
  const announced = (await Promise.all((await foldersIn(home)).map(announcedIn))).filter(
    (one) => one !== undefined,
  );
  for (const { url, pid, folder, access } of announced.toSorted((a, b) => b.startedAt - a.startedAt)) {
    // The id of a process that was killed may be another's by now, so the sandbox itself is asked too.
    const time = isAlive(pid) ? await sandboxTime(url, fetch) : undefined;
    if (time !== undefined) return { url, pid, folder, access, ...time };
  }
  return undefined;
}

/** The configuration with everything that is stored in the sandbox's folder, and its plan. */
export function inSandbox(config: Config, folder: string, { plan, isPremium }: Access): Config {
  const { url: _, ...storage } = config.storage;
  return {
    ...config,
    x_api: { ...config.x_api, plan, premium: isPremium },
    auth: { ...config.auth, token_file: join(folder, "tokens.json") },
    approvals: { ...config.approvals, key_file: join(folder, "approval.key") },
    storage: { ...storage, db_path: join(folder, "tuitbot.db") },
  };
}

const FILE = "running.json";

function foldersOf(home: string): string {
  return join(home, ".tuitbot", "sandboxes");
}

/** Folders of this machine: the home of a person may be on several, whose process ids say nothing here. */
async function foldersIn(home: string): Promise<readonly string[]> {
  const names = await readdir(foldersOf(home)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${pidOf(name)}-${hostname()}-`))
    .map((name) => join(foldersOf(home), name));
}

function pidOf(folder: string): number {
  return Number.parseInt(basename(folder), 10);
}

async function announcedIn(folder: string) {
  try {
    const { started_at, url, plan, premium } = JSON.parse(await readFile(join(folder, FILE), "utf8"));
    // Written by this program into a folder that nobody else can write.
    const access: Access = { plan, isPremium: premium };
    return { folder, pid: pidOf(folder), startedAt: Number(started_at), url: String(url), access };
  } catch {
    return undefined;
  }
}

/** A process that was killed leaves its folder behind. */
async function removeDead(home: string): Promise<void> {
  for (const folder of await foldersIn(home)) {
    if (!isAlive(pidOf(folder))) await removeFolder(folder);
  }
}

/** Removes the folder of a sandbox that has ended. Its browsers stay signed in to the next one. */
export async function removeFolder(folder: string): Promise<void> {
  await keepBrowsers(folder);
  await rm(folder, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, but is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
