import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { configuredTopics, topTopics } from "../analytics/topics.ts";
import { errors } from "../errors.ts";
import { recentTopics } from "./usage.ts";
import type { WritingContext } from "./write.ts";

/** Share of choices that take a topic that did well, not a random one. */
const BEST_SHARE = 0.8;
const BEST = 20;

/** Chooses a topic if none is given: mostly the best one that was not used recently. */
export async function chooseTopic(
  context: Pick<WritingContext, "store" | "account" | "config" | "random">,
  purpose: "tweet" | "thread",
): Promise<Outcome<string, Failure<"invalid_input">>> {
  const { store, account, config, random } = context;
  const known = configuredTopics(config);
  const recent = (await recentTopics(context, purpose)).slice(0, Math.max(3, Math.floor(known.length / 2)));
  if (random() < BEST_SHARE) {
    const best = await topTopics(store.db, account, BEST);
    const first = best.find(({ topic }) => !recent.includes(topic));
    if (first !== undefined) return ok(first.topic);
  }
  const rested = known.filter((topic) => !recent.includes(topic));
  const topics = rested.length > 0 ? rested : known;
  const chosen = topics[Math.floor(random() * topics.length)];
  if (chosen !== undefined) return ok(chosen);
  return errors.fail("invalid_input", "No topic was given, and none is configured.", {
    suggestedFix: "Give `topic`, or set business.industry_topics.",
    fixBy: "agent",
  });
}
