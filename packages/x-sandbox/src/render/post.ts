import { notAuthorizedForField } from "../http/problems.ts";
import { iso, type Json, type JsonDraft, type JsonObject } from "../json.ts";
import { editableUntil, isEditable, maxEdits } from "../rules/edit.ts";
import type { Entities } from "../world/entities.ts";
import { mediaKey } from "../world/media.ts";
import { isPremium } from "../world/person.ts";
import type { Post } from "../world/post.ts";
import { words } from "./requested-fields.ts";
import type { View } from "./view.ts";

/** Included posts include nothing further. */
export function renderPost(post: Post, view: View, as: "asked" | "included" = "asked"): JsonObject {
  const names = words[view.requested.vocabulary];
  const out: JsonDraft = { id: post.id, text: post.text, [names.editHistory]: post.versions };
  for (const field of view.requested.posts) writeField(out, field, post, view);
  if (as === "asked") expand(out, post, view);
  else expandIncluded(out, post, view);
  return out;
}

function writeField(out: JsonDraft, field: string, post: Post, view: View): void {
  const names = words[view.requested.vocabulary];
  switch (field) {
    case "author_id":
      out.author_id = post.authorId;
      return;
    case "created_at":
      out.created_at = post.createdAt;
      return;
    case "conversation_id":
      out.conversation_id = post.conversationId;
      return;
    case "public_metrics":
      out.public_metrics = publicMetrics(post, view);
      return;
    case "entities":
      set(out, "entities", entitiesOf(post.entities));
      return;
    case "referenced_posts":
      set(out, names.referenced, referencesOf(post));
      return;
    case "in_reply_to_user_id":
      set(out, "in_reply_to_user_id", post.replyTo?.userId);
      return;
    case "attachments":
      set(out, "attachments", attachmentsOf(post, view));
      return;
    case "note_post":
      if (post.longText !== undefined) out[names.note] = { text: post.longText };
      return;
    case "edit_controls":
      out.edit_controls = editControls(post, view);
      return;
    case "geo":
      if (post.placeId !== undefined) out.geo = { place_id: post.placeId };
      return;
    case "media_metadata":
      set(out, "media_metadata", mediaMetadata(post, view));
      return;
    case "non_public_metrics":
    case "organic_metrics":
      if (view.viewer?.id === post.authorId)
        out[field] = { impression_count: post.impressions, user_profile_clicks: 0 };
      else view.errors.push(notAuthorizedForField(field, post.id));
      return;
    default:
      set(out, field, simpleFields.get(field)?.(post));
  }
}

const simpleFields: ReadonlyMap<string, (post: Post) => Json> = new Map(
  Object.entries<(post: Post) => Json>({
    community_id: (post) => post.communityId,
    display_text_range: (post) => [leadingMentions(post), [...post.text].length],
    lang: (post) => post.lang,
    paid_partnership: (post) => post.paidPartnership,
    possibly_sensitive: () => false,
    reply_settings: (post) => post.replySettings,
    source: (post) => post.source,
  }),
);

/** Adds the id field even if it was not requested. */
function expand(out: JsonDraft, post: Post, view: View): void {
  if (view.requested.expansions.size === 0) return;
  const names = words[view.requested.vocabulary];
  if (view.wants("author_id")) {
    out.author_id = post.authorId;
    view.includePerson(post.authorId);
  }
  if (view.wants("in_reply_to_user_id") && post.replyTo !== undefined) {
    out.in_reply_to_user_id = post.replyTo.userId;
    view.includePerson(post.replyTo.userId);
  }
  if (view.wants("entities.mentions.username")) {
    set(out, "entities", entitiesOf(post.entities));
    for (const mention of post.entities.mentions) view.includePerson(mention.id);
  }
  if (
    view.wants("referenced_posts") ||
    view.wants("referenced_posts.author_id") ||
    view.wants("referenced_posts.attachments.media_keys")
  ) {
    set(out, names.referenced, referencesOf(post));
    for (const { id } of referencesOf(post) ?? []) view.includePost(id, names.referenced);
  }
  if (view.wants("edit_history_post_ids")) {
    for (const id of post.versions) if (id !== post.id) view.includePost(id, names.editHistory);
  }
  if (view.wants("attachments.media_keys") && post.mediaIds.length > 0) {
    set(out, "attachments", attachmentsOf(post, view));
    for (const id of post.mediaIds) view.includeMedia(id);
  }
  if (view.wants("attachments.poll_ids") && post.poll !== undefined) {
    set(out, "attachments", attachmentsOf(post, view));
    view.includePoll(post.poll);
  }
  if (view.wants("geo.place_id") && post.placeId !== undefined) {
    out.geo = { place_id: post.placeId };
    view.includePlace(post.placeId);
  }
}

function expandIncluded(out: JsonDraft, post: Post, view: View): void {
  if (view.wants("referenced_posts.author_id")) {
    out.author_id = post.authorId;
    view.includePerson(post.authorId);
  }
  if (view.wants("referenced_posts.attachments.media_keys")) {
    set(out, "attachments", attachmentsOf(post, view));
    for (const id of post.mediaIds) view.includeMedia(id);
  }
}

function publicMetrics(post: Post, view: View): JsonObject {
  const { world } = view;
  const original = post.repostOf ?? post.id;
  return {
    [words[view.requested.vocabulary].repostCount]: world.repostsOf.of(original).size,
    reply_count: countOver(post, (id) => world.repliesTo.of(id).size),
    like_count: world.likes.to(original).size + (world.posts.get(original)?.otherLikes ?? 0),
    quote_count: countOver(post, (id) => world.quotesOf.of(id).size),
    bookmark_count: world.bookmarks.to(original).size,
    impression_count: post.impressions,
  };
}

function countOver(post: Post, count: (id: string) => number): number {
  let sum = 0;
  for (const id of post.versions) sum += count(id);
  return sum;
}

export function entitiesOf(entities: Entities): JsonObject | undefined {
  const out: JsonDraft = {};
  if (entities.mentions.length > 0) {
    out.mentions = entities.mentions.map(({ start, end, username, id }) => ({
      start,
      end,
      username,
      ...(id !== undefined && { id }),
    }));
  }
  if (entities.hashtags.length > 0)
    out.hashtags = entities.hashtags.map(({ start, end, tag }) => ({ start, end, tag }));
  if (entities.cashtags.length > 0)
    out.cashtags = entities.cashtags.map(({ start, end, tag }) => ({ start, end, tag }));
  if (entities.urls.length > 0) {
    out.urls = entities.urls.map(({ start, end, url, target }) => ({
      start,
      end,
      url,
      expanded_url: target,
      display_url: target.replace(/^https?:\/\//, ""),
    }));
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

function referencesOf(post: Post): { type: string; id: string }[] | undefined {
  const references: { type: string; id: string }[] = [];
  if (post.repostOf !== undefined) references.push({ type: "retweeted", id: post.repostOf });
  if (post.quoteOf !== undefined) references.push({ type: "quoted", id: post.quoteOf });
  if (post.replyTo !== undefined) references.push({ type: "replied_to", id: post.replyTo.postId });
  return references.length === 0 ? undefined : references;
}

function attachmentsOf(post: Post, view: View): JsonObject | undefined {
  const media = post.mediaIds.flatMap((id) => view.world.media.get(id) ?? []);
  if (media.length === 0 && post.poll === undefined) return undefined;
  return {
    ...(media.length > 0 && { media_keys: media.map(mediaKey) }),
    ...(post.poll !== undefined && { poll_ids: [post.poll.id] }),
  };
}

function mediaMetadata(post: Post, view: View): Json {
  const media = post.mediaIds.flatMap((id) => view.world.media.get(id) ?? []);
  if (media.length === 0) return undefined;
  return media.map((item) => ({
    media_key: mediaKey(item),
    ...(item.altText !== undefined && { alt_text: item.altText }),
  }));
}

function editControls(post: Post, view: View): JsonObject {
  const author = view.world.people.get(post.authorId);
  return {
    edits_remaining: Math.max(0, maxEdits - (post.versions.length - 1)),
    is_edit_eligible: author !== undefined && isPremium(author) && isEditable(post),
    editable_until: iso(editableUntil(post)),
  };
}

function leadingMentions(post: Post): number {
  if (post.replyTo === undefined) return 0;
  let end = 0;
  for (const mention of post.entities.mentions) if (mention.start === end) end = mention.end + 1;
  return end;
}

function set(out: JsonDraft, name: string, value: Json): void {
  if (value !== undefined) out[name] = value;
}
