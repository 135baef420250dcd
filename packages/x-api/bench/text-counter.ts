import twitterText from "twitter-text";
import { parsePost } from "../src/text/index.ts";

/** One measured figure; `goal` is the least that `value` should be. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
  readonly met?: boolean;
}

/**
 * Posts a second through our reader, which also finds mentions, hashtags and cashtags, and through the
 * published `twitter-text`. Both run in turns on the same posts, so that a busy machine slows both.
 */
export async function benchTextCounter({
  rounds = 15,
  posts = corpus(),
}: {
  readonly rounds?: number;
  readonly posts?: readonly string[];
} = {}): Promise<readonly BenchRow[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(postsPerSecond(posts, (text) => parsePost(text).weighted_length, 200));
    theirs.push(postsPerSecond(posts, (text) => twitterText.parseTweet(text).weightedLength, 10));
  }
  const value = median(ours);
  const peer = median(theirs);
  const ratio = value / peer;
  return [
    { name: "text: parsePost", value: Math.round(value), unit: "posts/s" },
    { name: "text: twitter-text parseTweet", value: Math.round(peer), unit: "posts/s" },
    { name: "text: parsePost against parseTweet", value: ratio, unit: "times", goal: GOAL, met: ratio >= GOAL },
  ];
}

const GOAL = 20;

/** Prose, links, tags, scripts and emoji in about the shares that timelines have them. */
function corpus(): readonly string[] {
  return [
    "Shipping the new release today. Thanks to everyone who tested it over the weekend and sent reports!",
    "Notes are at https://example.com/blog/2026/08/release-notes?utm_source=x, tell @toolpact what you think #release",
    "Nothing beats a quiet morning, a long walk and coffee. No phone. No news. Just birds, e.g. the loud ones.",
    "Is it $TSLA or $BRK.B this quarter? README.md says neither, and example.ai agrees.",
    "Version v1.2.3 runs at http://localhost:3000, config.json is next to index.ts, write to me@example.org",
    "So proud of #TeamBlue today 👩‍👩‍👧‍👦🔥🔥 ❤️ what a game 👏🏽👏🏽",
    "日本語のテキストもちゃんと数えられますか？長い文章でも大丈夫です。詳しくは https://example.jp/ニュース まで #日本語",
    "오늘 날씨가 정말 좋네요. 산책하기 딱 좋은 날이에요 ☀️",
    "Съешь ещё этих мягких французских булок, да выпей же чаю. Подробнее: https://example.рф/страница",
    "Qué día tan bonito en Málaga, ¡gracias a todos! Más fotos en instagram.com/example_user y aquí 👇",
    "مرحبا بالعالم، هذا نص تجريبي #تجربة @toolpact",
    `${"A thread about writing long posts without saying much at all, sentence after sentence. ".repeat(3)}End.`,
    "RT @toolpact: one contract, two servers, no surprises (see https://example.com/a_(b)_c)",
    "gm",
  ];
}

function postsPerSecond(posts: readonly string[], count: (text: string) => number, repeat: number): number {
  const start = performance.now();
  let sum = 0;
  for (let time = 0; time < repeat; time++) for (const post of posts) sum += count(post);
  const seconds = (performance.now() - start) / 1000;
  if (sum === 0) throw new Error("Nothing was counted.");
  return (posts.length * repeat) / seconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

if (import.meta.main) console.table(await benchTextCounter());
