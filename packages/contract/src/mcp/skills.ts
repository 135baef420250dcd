import type { Server } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import { HOUR_MS } from "../durations.ts";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "./internals.ts";
import { invalid } from "./request.ts";

/** Answers `skills/list` and `skills/get`. The texts are read as resources. */
export function serveSkills(
  server: Server,
  { era, listsDiffer = false }: ClientLink,
  skills: readonly JsonObject[],
): void {
  // Clients of before 2026 know no hints for their caches.
  const hints = era === "legacy" ? {} : { ttlMs: HOUR_MS, cacheScope: listsDiffer ? "private" : "public" };
  server.setRequestHandler("skills/list", { params: anyParams }, () => ({ skills: [...skills], ...hints }));
  server.setRequestHandler("skills/get", { params: anyParams }, (params) => {
    const { uri } = membersOf(params);
    if (typeof uri !== "string") throw invalid("skills/get needs the address of a skill as uri.");
    const skill = skills.find((candidate) => candidate.uri === uri);
    if (skill === undefined) throw invalid(`There is no skill at ${quote(uri)}.`);
    return { skill, ...hints };
  });
}

export function membersOf(params: unknown): Readonly<Record<string, unknown>> {
  // What is no object has no members.
  return Object(params) as Record<string, unknown>;
}

/** Params that the handler checks itself: a schema library would cost every start its loading. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: "toolpact",
    validate: (value: unknown) => ({ value }),
  },
} as const;
