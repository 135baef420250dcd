import { DAY_MS } from "../storage/days.ts";
import type { Purpose } from "./assignment.ts";
import type { Desk } from "./write.ts";

/** Posts of one's own that did well lately, best first, to take the tone from. */
export async function winningPosts(
  { store, account, now }: Pick<Desk, "store" | "account" | "now">,
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
    .limit(LOOKED_AT)
    .execute();
  return rows
    .map(({ text, published_at, score }) => ({ text, weight: score * fading(now() - published_at) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TAKEN)
    .map(({ text }) => text);
}

const LOOKED_AT = 50;
const TAKEN = 5;
const HALF_LIFE_DAYS = 14;

/** Half as much for every fortnight. */
function fading(ageMs: number): number {
  return 0.5 ** (ageMs / DAY_MS / HALF_LIFE_DAYS);
}
