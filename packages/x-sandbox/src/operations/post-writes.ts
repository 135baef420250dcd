import { type Answer, success } from "../http/answer.ts";
import type { Fields } from "../http/input.ts";
import { badValue, duplicateContent, forbidden, invalidRequest, missing } from "../http/problems.ts";
import { refusedEdit } from "../rules/edit.ts";
import { refusedMedia } from "../rules/media.ts";
import { refusedByPlan } from "../rules/plans.ts";
import { refusedReply, summons } from "../rules/reply.ts";
import { hasLink, refusedText, repeats } from "../rules/text.ts";
import { isPost, readablePost } from "../rules/visibility.ts";
import type { Person } from "../world/person.ts";
import type { Post, ReplySettings } from "../world/post.ts";
import { type Draft, writePost } from "../world/write-post.ts";
import { forUser, type Handlers, type OperationContext } from "./context.ts";

export const postWrites = {
  createPosts: forUser((input, context, me) => {
    const draft = draftOf(input.body, context, me);
    const refusal = contradiction(input.body) ?? refusedDraft(input.body, draft, context, me);
    if (refusal !== undefined) return refusal;
    const post = writePost(context.world, draft);
    for (const id of post.mediaIds) keepForGood(context, id);
    const body = {
      data: { id: post.id, text: post.longText ?? post.text, edit_history_post_ids: [...post.versions] },
    };
    return { ...success(body, 201), ...priceOf(draft, context, me) };
  }),

  deletePosts: forUser((input, context, me) => {
    const post = context.world.posts.get(input.text("id"));
    if (post === undefined) return missing({ type: "tweet", parameter: "id", value: input.text("id") });
    if (post.authorId !== me.id) return forbidden("You are not authorized to delete this Tweet.");
    context.world.removePost(post);
    return success({ data: { deleted: true } });
  }),

  hidePostsReply: forUser((input, context, me) => {
    const post = context.world.posts.get(input.text("tweet_id"));
    if (post === undefined)
      return missing({ type: "tweet", parameter: "tweet_id", value: input.text("tweet_id") });
    const root = context.world.posts.get(post.conversationId);
    if (
      root === undefined ||
      root.authorId !== me.id ||
      post.replyTo === undefined ||
      post.authorId === me.id
    ) {
      return forbidden("You can only hide other people's replies in your own conversations.");
    }
    post.hidden = input.body.flag("hidden") ?? true;
    return success({ data: { hidden: post.hidden } });
  }),
} satisfies Handlers;

function draftOf(body: Fields, { world, now }: OperationContext, me: Person): Draft {
  const reply = body.object("reply");
  const replyTo = world.posts.get(reply?.text("in_reply_to_tweet_id") ?? "");
  const poll = body.object("poll");
  const text = body.text("text") ?? "";
  return {
    authorId: me.id,
    at: now,
    text,
    replyTo,
    addressed: greetingOf(text, replyTo, reply, world.people.get(replyTo?.authorId ?? ""), me),
    quoteOf: world.posts.get(body.text("quote_tweet_id") ?? ""),
    edits: world.posts.get(body.object("edit_options")?.text("previous_post_id") ?? ""),
    replySettings: settingsOf(body.text("reply_settings")),
    mediaIds: body.object("media")?.texts("media_ids"),
    poll:
      poll === undefined
        ? undefined
        : { options: poll.texts("options") ?? [], minutes: poll.number("duration_minutes") ?? 0 },
    placeId: body.object("geo")?.text("place_id"),
    communityId: body.text("community_id"),
    paidPartnership: body.flag("paid_partnership"),
    madeWithAi: body.flag("made_with_ai"),
  };
}

/** Before a reply, unless it is there already or excluded. */
function greetingOf(
  text: string,
  replyTo: Post | undefined,
  reply: Fields | undefined,
  author: Person | undefined,
  me: Person,
): string[] {
  if (replyTo === undefined || author === undefined || author.id === me.id) return [];
  if (
    reply?.flag("auto_populate_reply_metadata") === false ||
    reply?.texts("exclude_reply_user_ids")?.includes(author.id) === true
  )
    return [];
  return new RegExp(`^@${author.username}\\b`, "i").test(text) ? [] : [author.username];
}

/** One kind of attachment, and text or an attachment. */
function contradiction(body: Fields): Answer | undefined {
  const given = exclusive.filter((name) => body.value[name] !== undefined);
  if (given.length > 1) {
    return invalidRequest(
      given.map((parameter) => ({
        parameter,
        values: [JSON.stringify(body.value[parameter])],
        message: `[${given.join(", ")}] are mutually exclusive.`,
      })),
    );
  }
  const says = (body.text("text") ?? "").trim() !== "" || body.object("media") !== undefined;
  return says ? undefined : badValue("text", body.text("text") ?? "", "The Tweet must have text or media.");
}

const exclusive = ["poll", "quote_tweet_id", "media", "card_uri", "direct_message_deep_link"] as const;

function refusedDraft(body: Fields, draft: Draft, context: OperationContext, me: Person): Answer | undefined {
  const { world, plan, now } = context;
  const target = draft.replyTo === undefined ? undefined : world.people.get(draft.replyTo.authorId);
  return (
    refusedText(draft.text, me, plan, target === undefined ? [] : [target.username]) ??
    (body.object("reply") === undefined ? undefined : refusedReply(world, me, draft.replyTo, plan)) ??
    refusedQuote(body.text("quote_tweet_id"), context) ??
    (draft.mediaIds === undefined ? undefined : refusedMedia(world, me, draft.mediaIds, "tweet", now)) ??
    (body.object("edit_options") === undefined ? undefined : refusedEdit(me, draft.edits, now)) ??
    refusedRepeat(draft, context)
  );
}

function refusedQuote(id: string | undefined, context: OperationContext): Answer | undefined {
  if (id === undefined) return undefined;
  const refusal = refusedByPlan(context.plan, "Quoting posts", context.app.clientId);
  if (refusal !== undefined) return refusal;
  const found = readablePost(context.world, context.viewer, {
    type: "tweet",
    parameter: "quote_tweet_id",
    value: id,
  });
  return isPost(found)
    ? undefined
    : forbidden("You attempted to quote a Tweet that is deleted or not visible to you.");
}

function refusedRepeat(draft: Draft, context: OperationContext): Answer | undefined {
  const candidate = {
    authorId: draft.authorId,
    text: draft.text,
    replyTo: draft.replyTo?.id,
    quoteOf: draft.quoteOf?.id,
    mediaIds: draft.mediaIds ?? [],
  };
  return repeats(context.world, candidate, context.now) ? duplicateContent() : undefined;
}

/** A link costs more, a reply to a summoner less. */
function priceOf(draft: Draft, { world }: OperationContext, me: Person): Pick<Answer, "priceClass"> {
  if (hasLink(draft.text)) return { priceClass: "post_create_with_url" };
  const called =
    draft.replyTo !== undefined && draft.replyTo.authorId !== me.id && summons(world, draft.replyTo, me);
  return called ? { priceClass: "post_create_summoned" } : {};
}

function keepForGood({ world }: OperationContext, id: string): void {
  const media = world.media.get(id);
  if (media !== undefined) media.expiresAt = undefined;
}

function settingsOf(value: string | undefined): ReplySettings {
  return replySettings.find((setting) => setting === value) ?? "everyone";
}

const replySettings: readonly ReplySettings[] = ["following", "mentionedUsers", "subscribers", "verified"];
