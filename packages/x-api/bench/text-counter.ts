import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { atLeast, type Figure, figure } from "../../bench/src/figure.ts";

/**
 * Posts a second through our reader, which also finds mentions, hashtags and cashtags, and through the
 * published `twitter-text`. They take turns on the same posts, so that a busy machine slows both, each in a
 * thread of its own, because `twitter-text` replaces built-in functions with slower ones.
 */
export async function benchTextCounter({
  rounds = 200,
}: {
  readonly rounds?: number;
} = {}): Promise<readonly Figure[]> {
  const readers = {
    weighPost: new Reader("weighPost"),
    parsePost: new Reader("parsePost"),
    parseTweet: new Reader("parseTweet"),
  };
  for (let round = 0; round < rounds; round++) {
    await readers.weighPost.measure(40);
    await readers.parsePost.measure(40);
    await readers.parseTweet.measure(4);
  }
  const speed = {
    weighPost: await readers.weighPost.close(),
    parsePost: await readers.parsePost.close(),
    parseTweet: await readers.parseTweet.close(),
  };
  return [
    figure("text: weighPost", speed.weighPost, "posts/s"),
    figure("text: parsePost, entities included", speed.parsePost, "posts/s"),
    figure("text: twitter-text parseTweet", speed.parseTweet, "posts/s"),
    atLeast("text: weighPost against parseTweet", speed.weighPost / speed.parseTweet, "times", GOAL),
  ];
}

type ReaderName = "weighPost" | "parsePost" | "parseTweet";

class Reader {
  readonly #worker: Worker;
  readonly #speeds: number[] = [];

  constructor(name: ReaderName) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { benchTextReader: name } });
  }

  async measure(repeat: number): Promise<void> {
    const answer = once(this.#worker, "message");
    this.#worker.postMessage(repeat);
    const [speed] = await answer;
    this.#speeds.push(Number(speed));
  }

  /** The median in posts a second. */
  async close(): Promise<number> {
    await this.#worker.terminate();
    return this.#speeds.toSorted((a, b) => a - b)[this.#speeds.length >> 1] ?? Number.NaN;
  }
}

async function serve(name: ReaderName): Promise<void> {
  const count = await counterOf(name);
  const posts = corpus();
  parentPort?.on("message", (repeat: number) => {
    parentPort?.postMessage(postsPerSecond(posts, count, repeat));
  });
}

async function counterOf(name: ReaderName): Promise<(text: string) => number> {
  if (name === "parsePost") {
    const { parsePost } = await import("../src/text/index.ts");
    return (text) => parsePost(text).weighted_length;
  }
  if (name === "weighPost") {
    const { weighPost } = await import("../src/text/index.ts");
    return (text) => weighPost(text).weighted_length;
  }
  const { default: twitterText } = await import("twitter-text");
  return (text) => twitterText.parseTweet(text).weightedLength;
}

const GOAL = 20;

/**
 * Thirty posts as people and agents write them, from two letters to the limit: a quarter with links, a third
 * with mentions, a fifth with hashtags, a third with emoji, a third beyond Latin letters.
 */
function corpus(): readonly string[] {
  return [
    "gm",
    "That is not how any of this works.",
    "@toolpact thanks, that fixed it",
    "@delta_example 😂😂😂",
    "Nothing beats a quiet morning, a long walk and coffee. No phone. No news. Just birds, e.g. the loud ones, and a dog that thinks it is in charge of them.",
    "Shipping the new release today. Thanks to everyone who tested it over the weekend and sent reports! Eleven of the fourteen bugs you found are gone, and the other three have a name now.",
    "I have read the whole plan twice now and still cannot find the sentence that says who does the work, when it is done, and what happens if it is not. Either it is on a page that I did not get, or nobody has written it yet. Both would explain the mood in the room this morning.",
    "Hot take: most meetings are a way to avoid writing one clear paragraph. Write the paragraph first, send it round, and see how many people still want to meet. In my experience it is none, and the afternoon is suddenly free for the thing you were hired to do.",
    "We measured it three times because we did not believe it. The old path took 340 ms at the median, the new one takes 41 ms, and the only thing that changed is that we stopped asking for the same row twice. Boring fixes win.",
    "@alpha_example @beta_example see you both there on Friday, bring the long cable and the other adapter. The room has one socket, and last time it was behind the piano.",
    "@gamma_example no, version v1.2.3 is fine. It is config.json that has the wrong port in it. Change 8080 to 8081 and restart, then tell me what the second line of the log says.",
    "RT @toolpact: one contract, two servers, no surprises. A tool that needs no database cannot reach one, and what it may answer with is written next to its name.",
    "Is it $TSLA or $BRK.B this quarter? I would rather not know. Ask me about soil, seeds or the weather instead: those at least answer back.",
    "Notes are at https://example.com/blog/2026/08/release-notes?utm_source=x, tell @toolpact what you think #release",
    "New post on how we test the text rules against a reference, what we do about emoji it has never heard of, and why a counter should not need ten megabytes: https://example.org/text-rules",
    "Read README.md first, then ask. It is two pages, it has pictures, and it answers the question that you are about to ask in the second heading.",
    "The full album from last night is at photos.example.com/album/2026, the blurry ones included, because the blurry ones are the ones where everybody laughs 👇",
    "So proud of #TeamBlue today 👩‍👩‍👧‍👦🔥🔥 ❤️ what a game! Two down at the break and nobody in the stands sat down again after that. Same time next week?",
    "Happy birthday!! 🎉🎂 have the best day, eat the whole cake, answer no mail and let somebody else carry the boxes for once 👏🏽",
    "Sunset over the harbour ☀️ forty minutes in the cold for eleven seconds of that light, and I would do it again tomorrow #photography #nofilter #evening",
    "Good morning from the mountains 🏔️ minus twelve degrees, not a cloud, and the only sound is the snow under the boots. Back online on Monday.",
    "Qué día tan bonito en Málaga, ¡gracias a todos los que vinieron! Mañana más y mejor: empezamos a las diez en el mismo sitio, y esta vez con café.",
    "Não acredito que já é sexta-feira, a semana passou voando. Bom descanso a todos, e quem ainda tiver pendências que as deixe para segunda sem culpa!",
    "日本語のテキストもちゃんと数えられますか？長い文章でも大丈夫です。句読点や記号、全角の数字１２３も忘れずに数えます。詳しくは https://example.jp/news まで",
    "今日は朝からずっと雨だったけど、夕方になってやっと晴れた。明日は洗濯できそう。週末は久しぶりに山へ行く予定なので、このまま天気がもってくれるといいな。お弁当は何にしようか考え中。",
    "おはようございます☀️今日も一日がんばりましょう。昨日の続きから始めて、お昼までに一つ終わらせるのが目標です #おはよう",
    "@epsilon_example それは本当にすごい！おめでとうございます🎊これまでの努力が実りましたね。今度ぜひ詳しく話を聞かせてください",
    "오늘 날씨가 정말 좋네요. 산책하기 딱 좋은 날이에요. 점심 먹고 강변을 한 바퀴 돌고 와서 오후 일을 시작하려고 합니다",
    "Съешь ещё этих мягких французских булок, да выпей же чаю. А потом ещё раз, но уже без спешки: день длинный, дел немного, и торопиться сегодня совершенно некуда.",
    "مرحبا بالعالم، هذا نص تجريبي للتأكد من صحة العد، وفيه كلمات كثيرة حتى يصبح طويلا بما يكفي للقياس #تجربة",
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

if (!isMainThread && workerData?.benchTextReader !== undefined) await serve(workerData.benchTextReader);
else if (import.meta.main) console.table(await benchTextCounter());
