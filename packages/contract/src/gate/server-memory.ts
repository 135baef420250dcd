import { readFileSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { withFileLock } from "@toolpact/file-lock";
import * as z from "zod";
import { digest, isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { partsOf } from "./tool-definition.ts";
import type { UpstreamInfo } from "./upstream.ts";
import type { UpstreamPlace } from "./upstream-place.ts";

/** A server as it was when it ran last. Lets a gate answer clients before the server has started. */
export interface RememberedServer {
  /** The digest of its command line or address. */
  readonly place: string;
  readonly info: UpstreamInfo;
  readonly listed: readonly JsonObject[];
  /** The definitions that were accepted, by name. Those of the first list are, which `init` and `wrap` fetch. */
  readonly accepted: Readonly<Record<string, JsonObject>>;
}

/** The servers of a policy, in a file next to it that all gates of the policy share. */
export interface ServerMemory {
  readonly get: (server: string) => RememberedServer | undefined;
  /** Stores the server as it is now. The definitions of its first list count as accepted. */
  readonly remember: (server: string, now: Omit<RememberedServer, "accepted">) => Promise<void>;
  /** Accepts definitions of tools. */
  readonly accept: (server: string, definitions: readonly JsonObject[]) => Promise<void>;
}

const jsonObject = z.custom<JsonObject>(isJsonObject);
const remembered = z.object({
  place: z.string(),
  info: z.object({
    name: z.string(),
    version: z.string(),
    instructions: z.string().optional(),
    capabilities: z.looseObject({}),
    isModern: z.boolean(),
  }),
  listed: z.array(jsonObject),
  accepted: z.record(z.string(), jsonObject),
});

const LOCK_MS = 10_000;

/** Opens the memory. A damaged file throws: without it, every definition would count as the first. */
export function openServerMemory(file: string): ServerMemory {
  let known = read(file, textIn(file));
  async function update(
    server: string,
    change: (now: RememberedServer | undefined) => RememberedServer | undefined,
  ): Promise<void> {
    const changed = await withFileLock(`${file}.lock`, { giveUpMs: LOCK_MS }, async () => {
      const text = await readFile(file, "utf8").catch(() => undefined);
      known = read(file, text);
      const before = known.get(server);
      const after = change(before);
      if (after === undefined || (before !== undefined && digest(before) === digest(after))) return;
      known = new Map([...known, [server, after]]);
      await writeFile(`${file}.new`, `${JSON.stringify(Object.fromEntries(known))}\n`, { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
    if (!changed.ok) throw new Error(`${file} cannot be written: ${changed.failure.kind}.`);
  }
  return {
    get: (server) => known.get(server),
    remember: (server, now) =>
      update(server, (before) => ({ ...now, accepted: before?.accepted ?? byName(now.listed) })),
    accept: (server, definitions) =>
      update(
        server,
        (before) => before && { ...before, accepted: { ...before.accepted, ...byName(definitions) } },
      ),
  };
}

function byName(definitions: readonly JsonObject[]): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(definitions.map((definition) => [String(definition.name), partsOf(definition)]));
}

export function placeDigest(place: UpstreamPlace): string {
  return digest(place);
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

function read(file: string, text: string | undefined): ReadonlyMap<string, RememberedServer> {
  if (text === undefined) return new Map();
  const parsed = z.record(z.string(), remembered).safeParse(parseJson(text));
  if (!parsed.success)
    throw new Error(`${file} is damaged. Remove it to accept the tools of all servers as they are now.`);
  // The capabilities are those that the server sent.
  return new Map(Object.entries(parsed.data)) as unknown as ReadonlyMap<string, RememberedServer>;
}
