import { DAY_MS } from "@toolpact/contract/internal";
import { mayReply } from "../discovery/feed.ts";
import type { DiscoverySource } from "../storage/tables/publication-tables.ts";
import type { Candidate } from "../writing/candidate.ts";
import type { Pass } from "./pass.ts";

/** Recent posts of a source that were not handled yet, reach the threshold, and that X allows us to answer. */
export async function openCandidates(
  { store, account, x, now }: Pass,
  source: DiscoverySource,
  minScore: number,
): Promise<readonly Candidate[]> {
  const rows = await store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("answered", "=", 0)
    .where("score", ">=", minScore)
    .where("source", "=", source)
    .where("handled", "is", null)
    .where("posted_at", ">=", now() - STALE_MS)
    .orderBy("score", "desc")
    .limit(MAX_CANDIDATES)
    .execute();
  return rows.filter((row) => mayReply(row, x.access));
}

/** Older posts are not answered any more. */
const STALE_MS = DAY_MS;
const MAX_CANDIDATES = 50;

/** Why no replies are written, if so. */
export function whyRepliesAreOff({ config }: Pass): string | undefined {
  return config.mode === "composer" ? "composer mode" : undefined;
}
