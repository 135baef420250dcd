import { mayReply } from "../discovery/feed.ts";
import type { DiscoverySource } from "../storage/engagement-tables.ts";
import type { Candidate } from "../writing/candidate.ts";
import type { Pass } from "./pass.ts";

/** Found posts of one source that nothing was done about, that are young, good enough, and that X lets us answer. */
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
    .limit(MOST)
    .execute();
  return rows.filter((row) => mayReply(row, x.access));
}

/** Nobody waits for an answer longer than that. */
const STALE_MS = 24 * 3_600_000;
const MOST = 50;

/** Whether replies are written here at all, or why not. */
export function whyNoReplies({ config, isDryRun }: Pass): string | undefined {
  if (isDryRun) return "dry run";
  return config.mode === "composer" ? "composer mode" : undefined;
}
