import { ok } from "@toolpact/contract";
import { DAY_MS, HOUR_MS } from "@toolpact/contract/internal";
import { type Access, systemClock } from "@toolpact/x-api";
import { type KnownPerson, type KnownPost, Sandbox } from "@toolpact/x-sandbox";
import type { Session } from "../storage/store.ts";
import type { DiscoveredPostRow } from "../storage/tables/publication-tables.ts";
import type { XAccount } from "../x/connect-x.ts";

/** A simulated X with the account's data. Its clock stands still until moved. */
export interface RehearsalWorld {
  readonly sandbox: Sandbox;
  readonly account: XAccount;
  /** Repeated posts of others, and over how many days. */
  readonly again: { readonly days: number; readonly posts: number };
}

/** People have a weekly rhythm. */
const MAX_DAYS = 7;

/** From stored people and posts. Others' recent posts recur at the same hours. */
export async function rehearsalWorld(
  session: Session,
  access: Access,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RehearsalWorld> {
  const { store, account, names } = session;
  const owner = names?.username ?? `account_${account}`;
  const found = await store.db
    .selectFrom("discovered_posts")
    .selectAll()
    .where("account", "=", account)
    .where("posted_at", "<=", from)
    .orderBy("posted_at")
    .execute();
  const own = await store.db
    .selectFrom("publications")
    .select(["post_id", "text", "reply_to", "published_at"])
    .where("account", "=", account)
    .where("published_at", ">=", from - HISTORY_MS)
    .where("published_at", "<=", from)
    .execute();
  const followers = await store.db
    .selectFrom("follower_snapshots")
    .select("followers")
    .where("account", "=", account)
    .orderBy("day", "desc")
    .limit(1)
    .executeTakeFirst();
  const people = new Map<string, KnownPerson>([
    [
      account,
      {
        id: account,
        username: owner,
        name: names?.name,
        followers: followers?.followers,
        isPremium: access.isPremium,
      },
    ],
  ]);
  const targets = await store.db
    .selectFrom("targets")
    .select(["author_id", "username"])
    .where("account", "=", account)
    .execute();
  for (const { author_id: id, username } of targets)
    if (id !== null && !people.has(id)) people.set(id, { id, username });
  for (const { author_id: id, author_username, author_followers } of found)
    if (id !== account)
      people.set(id, { id, username: nameOf(people, id, author_username), followers: author_followers });
  const past = found.map((post) => ({ ...knownPost(post, owner), id: post.id, at: Number(post.posted_at) }));
  const recent = past.filter(({ at }) => at > from - MAX_DAYS * DAY_MS);
  const [first] = recent;
  const period = first === undefined ? MAX_DAYS : Math.max(1, Math.ceil((from - first.at) / DAY_MS));
  const later = recent
    .flatMap(({ id: _, at, ...post }) =>
      timesAgain(at, period * DAY_MS, to).map((then) => ({ ...post, at: then })),
    )
    .filter(({ at }) => at > from);
  const posts: KnownPost[] = [
    ...past,
    ...own.map(({ post_id: id, text, reply_to: replyTo, published_at: at }) => ({
      id,
      authorId: account,
      text,
      at,
      ...(replyTo !== null && { replyTo }),
    })),
  ].toSorted((a, b) => a.at - b.at);
  const sandbox = new Sandbox({
    plan: access.plan,
    start: from,
    creditsUsd: MUCH_USD,
    apps: [{ clientId: "rehearsal", owner }],
    known: { people: [...people.values()], posts: [...posts, ...later] },
  });
  return {
    sandbox,
    account: accountIn(sandbox, owner, access),
    again: { days: period, posts: recent.length },
  };
}

const HISTORY_MS = 30 * DAY_MS;

/** The operator's caps hold; X's credit is unknown. */
const MUCH_USD = 1_000_000;

function timesAgain(at: number, everyMs: number, to: number): readonly number[] {
  const times = Math.max(0, Math.floor((to - at) / everyMs));
  return Array.from({ length: times }, (_, index) => at + (index + 1) * everyMs);
}

/** X may not have named somebody, and names are unique. */
function nameOf(people: ReadonlyMap<string, KnownPerson>, id: string, username: string): string {
  const isTaken = [...people.values()].some(
    (one) => one.id !== id && one.username.toLowerCase() === username.toLowerCase(),
  );
  return isTaken ? `user_${id}` : username;
}

type Known = Omit<KnownPost, "id" | "at">;

function knownPost(
  {
    author_id,
    text,
    likes,
    reposts,
    replies,
    impressions,
    is_summons,
    source,
    reply_settings,
  }: Pick<
    DiscoveredPostRow,
    | "author_id"
    | "text"
    | "likes"
    | "reposts"
    | "replies"
    | "impressions"
    | "is_summons"
    | "source"
    | "reply_settings"
  >,
  owner: string,
): Known {
  const isForOwner = is_summons === 1 || source === "mention";
  const isNamed = text.toLowerCase().includes(`@${owner.toLowerCase()}`);
  const replySettings = REPLY_SETTINGS.find((setting) => setting === reply_settings);
  return {
    authorId: author_id,
    // Here, an answer is a mention.
    text: isForOwner && !isNamed ? `@${owner} ${text}` : text,
    likes: likes + reposts + replies,
    ...(impressions !== null && { impressions }),
    ...(replySettings !== undefined && { replySettings }),
  };
}

const REPLY_SETTINGS = ["everyone", "following", "mentionedUsers", "subscribers", "verified"] as const;

/** The sandbox's tokens expire after two hours, like X's. */
function accountIn(sandbox: Sandbox, user: string, access: Access): XAccount {
  const now = () => sandbox.clock.now();
  let signedIn = { ...sandbox.signIn({ user }), at: now() };
  const signIn = () => {
    signedIn = { ...sandbox.signIn({ user }), at: now() };
    return ok(signedIn.accessToken);
  };
  return {
    tokens: {
      userToken: async () => (now() - signedIn.at < HOUR_MS ? ok(signedIn.accessToken) : signIn()),
      appToken: async () => ok(sandbox.app.bearerToken),
      rejected: async (_, kind) => (kind === "app" ? ok(sandbox.app.bearerToken) : signIn()),
    },
    signInId: async () => "rehearsal",
    scopes: () => signedIn.scopes,
    access,
    baseUrl: "https://api.x.com",
    fetch: sandbox.fetch,
    clock: { now, monotonic: now, after: systemClock.after },
    timeoutMs: 30_000,
  };
}
