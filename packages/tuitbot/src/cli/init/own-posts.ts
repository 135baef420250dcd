const MOST_KEYWORDS = 8;

/**
 * Words that several of these posts have in common, the most common first. Counted, not understood: words of three
 * letters and words that every English text has are left out.
 */
export function commonWords(posts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const post of posts)
    for (const word of new Set(wordsOf(post))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= 2)
    .sort(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1))
    .slice(0, MOST_KEYWORDS)
    .map(([word]) => word);
}

function wordsOf(post: string): readonly string[] {
  const plain = post.replace(/https?:\/\/\S+|@\w+/g, " ").toLowerCase();
  return (plain.match(/[\p{L}][\p{L}\p{N}'’-]{3,}/gu) ?? []).filter((word) => !COMMON.has(word));
}

/** How these posts are written, by what can be counted: length of sentences, questions, emoji, hashtags. */
export function voiceOf(posts: readonly string[]): string {
  if (posts.length === 0) return "";
  const share = (pattern: RegExp) => posts.filter((post) => pattern.test(post)).length / posts.length;
  const sentences = posts
    .flatMap((post) => post.split(/[.!?…]+\s|\n+/))
    .filter((text) => /\p{L}/u.test(text));
  const words = sentences.reduce((sum, text) => sum + text.trim().split(/\s+/).length, 0);
  const length = words / Math.max(1, sentences.length);
  return [
    length < 10 ? "short sentences" : length > 20 ? "long sentences" : "sentences of middle length",
    ...(share(/\?/) >= 0.3 ? ["often asks questions"] : []),
    ...(share(/!/) >= 0.3 ? ["lively"] : []),
    ...(share(/\b(I|I'm|I've|my)\b/) >= 0.3 ? ["speaks as I"] : []),
    ...(share(/\b(we|our)\b/i) >= 0.3 ? ["speaks as we"] : []),
    amount(share(/\p{Extended_Pictographic}/u), "emoji"),
    amount(share(/#\p{L}/u), "hashtags"),
  ].join(", ");
}

function amount(share: number, what: string): string {
  if (share === 0) return `no ${what}`;
  return share < 0.3 ? `few ${what}` : `often ${what}`;
}

const COMMON = new Set(
  "about above after again against also always another anyone anything around because been before being below between both could does doing done down during each even every everyone everything first from further getting going gonna good great have having here hers into isn't it's itself just know less like little look made make many maybe more most much must need never next nothing only other others over people please really same should since some someone something still such take than thank thanks that that's their them then there there's these they thing things think this those through time today tomorrow under until using very want wants week well were what what's when where which while will with without work would yeah year yesterday your you're yours".split(
    " ",
  ),
);
