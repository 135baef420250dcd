import { copyFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Sandbox } from "@toolpact/x-sandbox";
import type { OwnPostgres } from "../postgres/server.ts";
import { canWatchDisk, diskLibrary, fragileDisk } from "./storage-power-cut.ts";
import { oneOf, type Weather } from "./weather.ts";

const watchable = canWatchDisk ? 1 : 0;

/** The power fails when the servers of an attempt have ended or were killed. */
const powerCut: Weather = {
  name: "power cut",
  chance: 0.25 * watchable,
  engine: "sqlite",
  async begin({ random, place }) {
    const disk = await fragileDisk(dirname(place.path));
    const share = oneOf(random, [0, 0, 0.5, 0.9]);
    return {
      story: `power cut that spares ${share} of what was not synced`,
      env: disk.env,
      afterAttempt: () => disk.cutPower(() => random() < share),
      end: disk.remove,
    };
  },
};

/** The disk has space for a few writes; after the first attempt a person makes more. */
const fullDisk: Weather = {
  name: "full disk",
  chance: 0.15 * watchable,
  engine: "sqlite",
  async begin({ random, place, home }) {
    const space = join(home, "disk-space");
    const bytes = Math.floor(random() * 60_000);
    await writeFile(space, `${bytes}`);
    return {
      story: `full disk after ${bytes} bytes`,
      env: {
        LD_PRELOAD: await diskLibrary(),
        DISK_LOG_ROOT: dirname(place.path),
        DISK_SPACE: space,
      },
      afterAttempt: () => rm(space, { force: true }),
    };
  },
};

/** The file is overwritten between two attempts, and a person puts it back after the second. */
const damagedFile: Weather = {
  name: "damaged file",
  chance: 0.15,
  engine: "sqlite",
  begin({ sandbox, place, home }) {
    const folder = dirname(place.path);
    const aside = (name: string) => join(home, `aside-${name}`);
    let names: readonly string[] | undefined;
    let before = 0;
    const putBack = async () => {
      for (const name of names ?? []) await rename(aside(name), join(folder, name));
      names = undefined;
    };
    return {
      story: "damaged file",
      async afterAttempt(attempt) {
        if (attempt === 0) {
          const found = await readdir(folder);
          // A database that was never synced may be lost with the power: there is nothing to damage then.
          if (!found.includes(basename(place.path))) return;
          names = found;
          // The journal too: it may hold every page of a young database, and then nothing is damaged.
          for (const name of names) {
            await copyFile(join(folder, name), aside(name));
            await writeFile(join(folder, name), "no database ".repeat(1_000));
          }
          before = writesAt(sandbox);
          return;
        }
        if (names !== undefined && writesAt(sandbox) !== before)
          throw new Error("A server on a damaged database has sent something.");
        await putBack();
      },
      end: putBack,
    };
  },
};

/**
 * The file is deleted under the running server, with or without its journal, and a user restores it after the server
 * has ended.
 */
const goneFile: Weather = {
  name: "gone file",
  chance: 0.15,
  engine: "sqlite",
  begin({ random, sandbox, scenario, place, home, isShared }) {
    // A second server started meanwhile would create a new database.
    if (isShared || scenario.alike !== undefined) return { story: "no file goes" };
    const withJournal = random() < 0.5;
    const names = withJournal ? ["", "-wal", "-shm"] : [""];
    const away = (name: string) => join(home, `gone${name}`);
    let isAway = false;
    let wasAway = false;
    return {
      story: `file to go${withJournal ? " with its journal" : ""} when the server has asked X who it is`,
      outcome: () => (wasAway ? "it went" : "it stayed"),
      async duringAttempt(attempt) {
        // The server opens the database before it asks X who it is.
        for (let looks = 0; attempt === 0 && looks < 2_000 && !isAway; looks++) {
          await setTimeout(1);
          if (sandbox.journal.of("getUsersMe").length === 0) continue;
          for (const name of names) await rename(place.path + name, away(name)).catch(unlessAbsent);
          isAway = true;
          wasAway = true;
        }
      },
      async afterAttempt() {
        // The files that the server has put in their place meanwhile are not the person's.
        if (isAway)
          for (const name of names) {
            await rm(place.path + name, { force: true });
            await rename(away(name), place.path + name).catch(unlessAbsent);
          }
        isAway = false;
      },
    };
  },
};

/** PostgreSQL servers that a run may kill, by the host and port of their address. */
const killablePostgres = new Map<string, OwnPostgres>();

export function letRunsKill(server: OwnPostgres): OwnPostgres {
  killablePostgres.set(new URL(server.url).host, server);
  return server;
}

/**
 * PostgreSQL is killed once or twice during the first attempt. What it had handed to the system stays: this is no power
 * cut.
 */
const killedPostgres: Weather = {
  name: "killed PostgreSQL",
  chance: 0.5,
  engine: "postgres",
  begin({ random, place }) {
    const server = killablePostgres.get(new URL(place.url ?? "").host);
    if (server === undefined) return { story: "PostgreSQL is shared" };
    const [first, second] = [random() * 900, random() < 0.3 ? random() * 500 : undefined];
    return {
      story: `PostgreSQL killed after ${first.toFixed()} ms${second === undefined ? "" : ` and ${second.toFixed()} ms`}`,
      async duringAttempt(attempt) {
        if (attempt > 0) return;
        await setTimeout(first);
        await server.crash();
        if (second === undefined) return;
        await setTimeout(second);
        await server.crash();
      },
    };
  },
};

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function writesAt({ journal }: Sandbox): number {
  return journal.entries.filter(({ method }) => method !== "GET").length;
}

/** Troubles of the database and the disk. A file that went comes back before the power fails or it is damaged. */
export const storageWeathers: readonly Weather[] = [
  goneFile,
  powerCut,
  fullDisk,
  damagedFile,
  killedPostgres,
];
