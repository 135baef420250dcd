import { type Failure, type Outcome, ok } from "@toolpact/contract";
import { configuredTopics, topTopics } from "../analytics/topics.ts";
import { errors } from "../errors.ts";
import { recentTopics } from "./history.ts";
import type { Desk } from "./write.ts";

/** How often a topic that did well is preferred to one that comes up. */
const BEST_SHARE = 0.8;
const BEST = 20;

/** What to write about where nobody says: mostly what did best and was not written about lately. */
export async function chooseTopic(
  desk: Pick<Desk, "store" | "account" | "config" | "random">,
  purpose: "tweet" | "thread",
): Promise<Outcome<string, Failure<"invalid_input">>> {
  const { store, account, config, random } = desk;
  const known = configuredTopics(config);
  const recent = (await recentTopics(desk, purpose)).slice(0, Math.max(3, Math.floor(known.length / 2)));
  if (random() < BEST_SHARE) {
    const best = await topTopics(store.db, account, BEST);
    const first = best.find(({ topic }) => !recent.includes(topic));
    if (first !== undefined) return ok(first.topic);
  }
  const rested = known.filter((topic) => !recent.includes(topic));
  const topics = rested.length > 0 ? rested : known;
  const chosen = topics[Math.floor(random() * topics.length)];
  if (chosen !== undefined) return ok(chosen);
  return errors.fail(
    "invalid_input",
    "There is no topic: none was given, and the configuration names none.",
    {
      suggestedFix: "Give `topic`, or set business.industry_topics.",
      fixBy: "agent",
    },
  );
}
