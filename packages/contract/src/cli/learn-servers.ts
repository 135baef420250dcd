import { isDeepStrictEqual } from "node:util";
import type { PolicySection } from "../gate/first-policy.ts";
import { type LearnedServer, learnServer } from "../gate/learn-server.ts";
import type { ServerPolicy } from "../gate/policy.ts";
import { type ServerSection, sectionPlace } from "../gate/server-place.ts";
import type { UpstreamPlace } from "../gate/upstream-place.ts";
import type { FoundClient } from "./wrap.ts";

export interface NamedServer {
  readonly name: string;
  readonly isInPolicy: boolean;
  readonly section: ServerSection;
  readonly place: UpstreamPlace;
  readonly entries: readonly { readonly file: string; readonly name: string }[];
}

/**
 * Merges equal servers of several clients, and numbers different ones of one name. Known servers keep their
 * section.
 */
export function nameServers(
  clients: readonly FoundClient[],
  policy: readonly ServerPolicy[],
  notes: string[],
): readonly NamedServer[] {
  const found: NamedServer[] = [];
  for (const { file, servers } of clients)
    for (const { name, section } of servers) {
      const place = section.ok ? sectionPlace(section.value, process.env) : section;
      if (!section.ok || !place.ok) {
        notes.push(`${file}: ${name} ${place.ok ? "" : place.failure}. It stays as it is.`);
        continue;
      }
      const same = found.findIndex((one) => isDeepStrictEqual(one.place, place.value));
      const entry = { file, name };
      const known = found[same];
      if (known !== undefined) {
        found[same] = { ...known, entries: [...known.entries, entry] };
        continue;
      }
      const own = policy.find((one) => one.place?.ok && isDeepStrictEqual(one.place.value, place.value));
      const taken = [...policy, ...found].map((one) => one.name);
      found.push({
        name: own?.name ?? freeName(name, taken),
        isInPolicy: own !== undefined,
        section: section.value,
        place: place.value,
        entries: [entry],
      });
    }
  return found;
}

const MAX_NAME = 28;

function freeName(name: string, taken: readonly string[]): string {
  const plain =
    name
      .replaceAll(/[^A-Za-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, MAX_NAME) || "server";
  for (let nth = 1; ; nth++) {
    const candidate = nth === 1 ? plain : `${plain}-${nth}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

const LEARN_MS = 60_000;

type LearnedSection = PolicySection & LearnedServer;

/** Starts each server once and lists its tools. One that times out stays unchanged. */
export async function learnServers(
  servers: readonly NamedServer[],
  stopped: AbortSignal,
): Promise<{ readonly learned: readonly LearnedSection[]; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  const learned: LearnedSection[] = [];
  for (const { name, section, place, entries } of servers) {
    try {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(LEARN_MS)]);
      learned.push({ name, section, ...(await learnServer(place, signal)) });
    } catch (error) {
      failures.push(`${entries[0]?.file}: ${name} stays as it is. ${(error as Error).message}`);
    }
  }
  return { learned, failures };
}
