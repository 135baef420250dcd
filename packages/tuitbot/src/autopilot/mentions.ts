import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { FOUND_FIELDS, type FoundPost, foundPosts } from "../discovery/found-post.ts";
import { rememberPosts } from "../discovery/remember.ts";
import { affordable } from "../guards/budget/bill.ts";
import { budgetLedger } from "../guards/budget/ledger.ts";
import { textIn, type XObject } from "../x/shapes/x-object.ts";
import { askX } from "../x/toolkit/ask-x.ts";
import { broken, completed, type Loop, type Pass } from "./pass.ts";
import { moveCursor, progressOf } from "./progress.ts";
import { openCandidates, replyToAll, whyRepliesAreOff } from "./replies.ts";

export const mentions: Loop = {
  name: "mentions",
  does: "reads who called on the account, and answers in autopilot",
  everyMs: ({ intervals }) => intervals.mentions_check_seconds * 1_000,
  keepsHours: true,
  publishes: true,
  reads: true,
  writes: true,
  async run(pass) {
    const read = await readMentions(pass);
    if (!read.ok) return broken(read);
    if (whyRepliesAreOff(pass) !== undefined) return completed({ found: read.value });
    const candidates = await openCandidates(pass, "mention", 0);
    const { counts, codes } = await replyToAll(pass, candidates, "loop:mentions", MAX_REPLIES);
    return completed({ found: read.value, ...counts }, codes);
  },
};

type ReadContext = Pick<Pass, Exclude<keyof Pass, "random" | "leaseMs" | "isDryRun" | "rest">>;

const MAX_REPLIES = 10;
const MAX_PAGES = 5;
const PAGE = 100;
/** X's minimum. */
const MIN_PAGE = 5;
const OPERATION = "getUsersMentions";

/** Returns the number of new ones. X lists the newest first, so the next pass continues below the oldest one read. */
export async function readMentions(pass: ReadContext): Promise<Outcome<number, Failure>> {
  const { account, x, config, now, signal } = pass;
  const { cursor } = await progressOf(pass, "mentions");
  const { since, until, upTo } = rangeIn(cursor);
  let newest = upTo;
  let oldest = until;
  let token: string | undefined;
  let found = 0;
  // Mentions from before the first run are not answered.
  const most = since === undefined ? 1 : MAX_PAGES;
  for (let page = 0; page < most; page++) {
    const room = await affordable(
      budgetLedger(pass, config.x_api.owns_app),
      pass.workflow.caps,
      now(),
      OPERATION,
      { path: { id: account }, query: FOUND_FIELDS },
      PAGE,
    );
    // Without budget for the first page, that is the failure; later pages can wait.
    if (page > 0 && room < MIN_PAGE) break;
    const answer = await askX<readonly XObject[]>(x.client, OPERATION, {
      path: { id: account },
      query: {
        max_results: Math.max(MIN_PAGE, room),
        ...(since !== undefined && { since_id: since }),
        ...(until !== undefined && { until_id: until }),
        ...(token !== undefined && { pagination_token: token }),
        ...FOUND_FIELDS,
      },
      signal,
    });
    if (!answer.ok) return failed(answer.failure);
    const posts = foundPosts(answer.value, account).map((post): FoundPost => ({ ...post, isSummons: true }));
    await rememberPosts(pass, posts, { config, source: "mention", now: now() });
    found += posts.length;
    newest ??= newestOf(answer.value.data);
    oldest = textIn(answer.value.data.at(-1) ?? {}, "id") ?? oldest;
    token = answer.value.pagination?.next_token;
    if (token === undefined) break;
  }
  if (newest !== undefined) {
    const hasMore = token !== undefined && since !== undefined;
    await moveCursor(pass, "mentions", hasMore ? `${since} ${oldest} ${newest}` : newest);
  }
  return ok(found);
}

/** After one id, and below another while older mentions are unread. */
function rangeIn(cursor: string | null) {
  const [since, until, upTo] = cursor?.split(" ") ?? [];
  return { since, until, upTo };
}

/** Ids are too large for a number. */
export function newestOf(posts: readonly XObject[]): string | undefined {
  const ids = posts.flatMap((post) => textIn(post, "id") ?? []);
  return ids.reduce<string | undefined>(
    (newest, id) =>
      newest === undefined || id.length > newest.length || (id.length === newest.length && id > newest)
        ? id
        : newest,
    undefined,
  );
}
