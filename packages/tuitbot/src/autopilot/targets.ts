import { type Failure, failed, type Outcome, ok } from "@toolpact/contract";
import { DAY_MS } from "@toolpact/contract/internal";
import type { Selectable } from "kysely";
import { FOUND_FIELDS, foundPosts } from "../discovery/found-post.ts";
import { rememberPosts } from "../discovery/remember.ts";
import { targetNames } from "../discovery/targets.ts";
import type { TargetRow } from "../storage/tables/schedule-tables.ts";
import { textIn, type XObject } from "../x/shapes/x-object.ts";
import { askX } from "../x/toolkit/ask-x.ts";
import { newestOf } from "./mentions.ts";
import { broken, completed, type Loop, type Pass, skipped } from "./pass.ts";
import { openCandidates, replyToAll, waitingReplies, whyRepliesAreOff } from "./replies.ts";

export const targets: Loop = {
  name: "targets",
  does: "reads what the accounts of targets.accounts posted, and replies in autopilot",
  everyMs: ({ intervals }) => intervals.mentions_check_seconds * 1_000,
  keepsHours: true,
  publishes: true,
  reads: true,
  writes: true,
  async run(pass) {
    const { config } = pass;
    const names = targetNames(config);
    if (names.length === 0) return skipped("targets.accounts is empty");
    let found = 0;
    for (const name of names) {
      if (pass.signal.aborted) break;
      const read = await readTarget(pass, name);
      // A deleted or protected target must not block the others.
      if (!read.ok && !concernsOne(read.failure)) return broken(read);
      found += read.ok ? read.value : 0;
    }
    if (whyRepliesAreOff(pass) !== undefined) return completed({ found });
    const left =
      config.targets.max_target_replies_per_day -
      (await repliedToTargets(pass)) -
      (await waitingForTargets(pass));
    if (left <= 0) return completed({ found, sent: 0 });
    // One reply per target and pass.
    const candidates = await openCandidates(pass, "target", 0);
    const firsts = [...new Map(candidates.toReversed().map((post) => [post.author_id, post])).values()];
    const { counts, codes } = await replyToAll(pass, firsts, "loop:targets", left);
    return completed({ found, ...counts }, codes);
  },
};

function concernsOne({ code, reason }: Failure): boolean {
  return code === "not_found" || reason === "resource_not_authorized";
}

const PAGE = 10;

async function readTarget(pass: Pass, name: string): Promise<Outcome<number, Failure>> {
  const { store, account, x, config, now, signal } = pass;
  const target = await resolved(pass, name);
  if (!target.ok) return target;
  const { author_id, cursor, name_key } = target.value;
  const answer = await askX<readonly XObject[]>(x.client, "getUsersPosts", {
    path: { id: author_id ?? "" },
    query: {
      max_results: PAGE,
      exclude: ["replies", "retweets"],
      ...(cursor !== null && { since_id: cursor }),
      ...FOUND_FIELDS,
    },
    signal,
  });
  if (!answer.ok) return failed(answer.failure);
  const posts = foundPosts(answer.value, account);
  await rememberPosts(pass, posts, { config, source: "target", now: now() });
  const newest = newestOf(answer.value.data);
  await store.db
    .updateTable("targets")
    .set({ checked_at: now(), ...(newest !== undefined && { cursor: newest }) })
    .where("account", "=", account)
    .where("name_key", "=", name_key)
    .execute();
  return ok(posts.length);
}

/** Once per username. */
async function resolved(
  { store, account, x, now, signal }: Pass,
  name: string,
): Promise<Outcome<Selectable<TargetRow>, Failure>> {
  const name_key = name.toLowerCase();
  const known = await store.db
    .selectFrom("targets")
    .selectAll()
    .where("account", "=", account)
    .where("name_key", "=", name_key)
    .executeTakeFirst();
  if (known !== undefined) return ok(known);
  const user = await askX<XObject>(x.client, "getUsersByUsername", { path: { username: name }, signal });
  if (!user.ok) return failed(user.failure);
  const { data } = user.value;
  const target = {
    account,
    name_key,
    username: textIn(data, "username") ?? name,
    author_id: textIn(data, "id") ?? null,
    cursor: null,
    checked_at: now(),
  };
  await store.db
    .insertInto("targets")
    .values(target)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return ok(target);
}

async function repliedToTargets({ store, account, config, now }: Pass): Promise<number> {
  const keys = targetNames(config).map((name) => name.toLowerCase());
  const { count } = await store.db
    .selectFrom("publications")
    .innerJoin("targets", (join) =>
      join
        .onRef("targets.account", "=", "publications.account")
        .onRef("targets.author_id", "=", "publications.author_id"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("publications.account", "=", account)
    .where("publications.kind", "=", "reply")
    .where("publications.published_at", ">", now() - DAY_MS)
    .where("targets.name_key", "in", keys)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function waitingForTargets(pass: Pass): Promise<number> {
  const { store, account, config } = pass;
  const keys = targetNames(config).map((name) => name.toLowerCase());
  const targets = await store.db
    .selectFrom("targets")
    .select("author_id")
    .where("account", "=", account)
    .where("name_key", "in", keys)
    .execute();
  const { authors } = await waitingReplies(pass);
  return authors.filter((id) => targets.some(({ author_id }) => author_id === id)).length;
}
