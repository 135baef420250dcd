import { POST_LIMIT, parsePost } from "@toolpact/x-api/text";
import { minute } from "../clock.ts";
import { iso } from "../json.ts";
import { entitiesOf, linkedText, withoutLeadingMentions } from "./entities.ts";
import type { Poll, Post, ReplySettings } from "./post.ts";
import type { World } from "./world.ts";

/** `rules/` checks permissions. */
export interface Draft {
  /** Generated if missing. */
  readonly id?: string | undefined;
  readonly authorId: string;
  readonly text: string;
  readonly at: number;
  readonly lang?: string | undefined;
  readonly replyTo?: Post | undefined;
  /** Default: the author of `replyTo`. */
  readonly addressed?: readonly string[] | undefined;
  readonly quoteOf?: Post | undefined;
  readonly edits?: Post | undefined;
  readonly replySettings?: ReplySettings | undefined;
  readonly mediaIds?: readonly string[] | undefined;
  readonly poll?:
    | { readonly options: readonly string[]; readonly minutes: number; readonly votes?: readonly number[] }
    | undefined;
  readonly placeId?: string | undefined;
  readonly communityId?: string | undefined;
  readonly paidPartnership?: boolean | undefined;
  readonly madeWithAi?: boolean | undefined;
  readonly source?: string | undefined;
  readonly impressions?: number | undefined;
  readonly otherLikes?: number | undefined;
}

export function writePost(world: World, draft: Draft): Post {
  const id = draft.id ?? world.idAt(draft.at);
  const { replyTo, quoteOf, edits } = draft;
  const { text: fullText, entities } = linkedText(world, id, {
    ...draft,
    addressed: draft.addressed ?? answered(world, draft),
  });
  const versions = edits === undefined ? [] : edits.versions;
  versions.push(id);
  const post: Post = {
    id,
    authorId: draft.authorId,
    ...cutShort(fullText, withoutLeadingMentions(draft.text, answered(world, draft))),
    submitted: draft.text,
    entities,
    at: draft.at,
    createdAt: iso(draft.at),
    lang: draft.lang ?? languageOf(draft.text),
    conversationId: edits?.conversationId ?? replyTo?.conversationId ?? id,
    replyTo: replyTo === undefined ? edits?.replyTo : { postId: replyTo.id, userId: replyTo.authorId },
    quoteOf: quoteOf?.id ?? edits?.quoteOf,
    repostOf: undefined,
    replySettings: draft.replySettings ?? "everyone",
    mediaIds: draft.mediaIds ?? [],
    poll: draft.poll === undefined ? undefined : pollOf(world, draft.at, draft.poll),
    placeId: draft.placeId,
    communityId: draft.communityId,
    paidPartnership: draft.paidPartnership ?? false,
    madeWithAi: draft.madeWithAi ?? false,
    versions,
    source: draft.source ?? "Sandbox for X",
    impressions: draft.impressions ?? 0,
    otherLikes: draft.otherLikes,
    hidden: false,
  };
  world.addPost(post);
  if (edits !== undefined) world.supersede(edits, post);
  return post;
}

function answered(world: World, { authorId, replyTo }: Draft): string[] {
  const author =
    replyTo === undefined || replyTo.authorId === authorId ? undefined : world.people.get(replyTo.authorId);
  return author === undefined ? [] : [author.username];
}

/** A repost has the original's text. */
export function writeRepost(world: World, authorId: string, original: Post, at: number): Post {
  const id = world.idAt(at);
  const text = `RT @${world.people.get(original.authorId)?.username ?? "unknown"}: ${original.text}`;
  const targets = original.entities.urls.map((link) => link.target);
  return world.addPost({
    ...original,
    id,
    authorId,
    at,
    createdAt: iso(at),
    text,
    longText: undefined,
    entities: entitiesOf(world, text, targets),
    conversationId: id,
    replyTo: undefined,
    quoteOf: undefined,
    repostOf: original.id,
    replySettings: "everyone",
    mediaIds: [],
    poll: undefined,
    versions: [id],
    impressions: 0,
    hidden: false,
  });
}

/** A long post's `text` is its first 280 characters. */
function cutShort(text: string, counted: string): Pick<Post, "text" | "longText"> {
  if (parsePost(counted).weighted_length <= POST_LIMIT) return { text, longText: undefined };
  return { text: `${[...text].slice(0, POST_LIMIT - 1).join("")}…`, longText: text };
}

function pollOf(world: World, at: number, poll: NonNullable<Draft["poll"]>): Poll {
  return {
    id: world.idAt(at),
    options: poll.options.map((label, i) => ({ label, votes: poll.votes?.[i] ?? 0 })),
    minutes: poll.minutes,
    endsAt: at + poll.minutes * minute,
  };
}

function languageOf(text: string): string {
  for (const [lang, script] of scripts) if (script.test(text)) return lang;
  return "en";
}

const scripts: readonly (readonly [string, RegExp])[] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["ko", /\p{Script=Hangul}/u],
  ["zh", /\p{Script=Han}/u],
  ["ru", /\p{Script=Cyrillic}/u],
  ["ar", /\p{Script=Arabic}/u],
];
