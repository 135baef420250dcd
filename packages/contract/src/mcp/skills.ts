import type { Server } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import { HOUR_MS } from "../durations.ts";
import type { JsonObject } from "../json.ts";
import type { ClientLink } from "./internals.ts";
import { invalid, membersOf } from "./request.ts";

/** Handles `skills/list` and `skills/get`. Clients read the texts as resources. */
export function serveSkills(
  server: Server,
  { era, listsDiffer = false }: ClientLink,
  skills: readonly JsonObject[],
): void {
  // The protocol before 2026 has no cache hints.
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

/** Params that the handler checks itself, so that no schema library has to be loaded at the start. */
export const anyParams = {
  "~standard": {
    version: 1,
    vendor: "toolpact",
    validate: (value: unknown) => ({ value }),
  },
} as const;
