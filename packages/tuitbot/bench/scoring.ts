import { type Figure, figure } from "../../bench/src/figure.ts";
import { configSchema } from "../src/config/schema.ts";
import { scorePost } from "../src/discovery/score.ts";

export interface ScoringOptions {
  readonly posts?: number;
}

/** How many posts are scored in a second, with as many keywords as a careful operator has. */
export function benchScoring({ posts = 500_000 }: ScoringOptions = {}): readonly Figure[] {
  const { scoring: weights } = configSchema.parse({});
  const keywords = Array.from({ length: 20 }, (_, index) =>
    index % 4 === 0 ? `long word ${index}` : `word${index}`,
  );
  const now = Date.UTC(2026, 8, 1, 12);
  const texts = Array.from({ length: 1_000 }, (_, index) =>
    `Thought number ${index} about word${index % 40} `.repeat(5),
  );
  const score = (nth: number) =>
    scorePost(
      {
        text: texts[nth % texts.length] ?? "",
        followers: (nth * 7_919) % 200_000,
        likes: nth % 50,
        reposts: nth % 5,
        replies: nth % 25,
        createdAt: now - (nth % 500) * 60_000,
      },
      { weights, keywords, now },
    ).total;
  let sum = 0;
  for (let nth = 0; nth < posts / 10; nth++) sum += score(nth);
  const started = performance.now();
  for (let nth = 0; nth < posts; nth++) sum += score(nth);
  const seconds = (performance.now() - started) / 1_000;
  if (!Number.isFinite(sum)) throw new Error("Scores are numbers.");
  return [figure("posts scored", Math.round(posts / seconds), "per second")];
}

if (import.meta.main) console.table(benchScoring());
