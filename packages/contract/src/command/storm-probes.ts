import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { digest } from "../json.ts";

/** Reads a state that the server changes. Equal texts are equal states. */
export interface Probe {
  readonly name: string;
  readonly read: () => Promise<string>;
}

export function filesProbe(path: string): Probe {
  return { name: path, read: async () => digest(await contentsOf(path)) };
}

async function contentsOf(path: string): Promise<unknown> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return null;
  if (!found.isDirectory()) return (await readFile(path)).toString("base64");
  const names = (await readdir(path)).sort();
  return Promise.all(names.map(async (name) => [name, await contentsOf(join(path, name))]));
}

/** `FILE=SELECT …` */
export function sqliteProbe(text: string): Outcome<Probe, string> {
  const at = text.indexOf("=");
  if (at < 1) return failed("Write a SQLite probe as FILE=SELECT …");
  const [file, query] = [text.slice(0, at), text.slice(at + 1)];
  return ok({
    name: query,
    async read() {
      const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(file, { readOnly: true });
      try {
        return digest(database.prepare(query).all());
      } finally {
        database.close();
      }
    },
  });
}

export function urlProbe(url: string): Probe {
  return {
    name: url,
    async read() {
      const answer = await fetch(url);
      return digest([answer.status, await answer.text()]);
    },
  };
}

export async function readAll(probes: readonly Probe[]): Promise<string> {
  return digest(await Promise.all(probes.map(({ read }) => read())));
}
