import { DAY_MS } from "../storage/days.ts";
import type { Purpose } from "./assignment.ts";
import type { WritingContext } from "./write.ts";

/** Recent posts of this account that did well, best first. */
export async function winningPosts(
  { store, account, now }: Pick<WritingContext, "store" | "account" | "now">,
  purpose: Purpose,
): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom("measurements")
    .innerJoin("publications", (join) =>
      join
        .onRef("publications.account", "=", "measurements.account")
        .onRef("publications.post_id", "=", "measurements.post_id"),
    )
    .select(["publications.text", "publications.published_at", "measurements.score"])
    .where("measurements.account", "=", account)
    .where("publications.kind", "=", purpose)
    .where("publications.position", "=", 0)
    .where("measurements.score", ">", 0)
    .orderBy("publications.published_at", "desc")
    .limit(CONSIDERED)
    .execute();
  return rows
    .map(({ text, published_at, score }) => ({ text, weight: score * decay(now() - published_at) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_EXAMPLES)
    .map(({ text }) => text);
}

const CONSIDERED = 50;
const MAX_EXAMPLES = 5;
const HALF_LIFE_DAYS = 14;

/** The weight of a score halves every two weeks. */
function decay(ageMs: number): number {
  return 0.5 ** (ageMs / DAY_MS / HALF_LIFE_DAYS);
}
