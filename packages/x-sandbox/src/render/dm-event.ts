import { iso, type JsonDraft, type JsonObject } from "../json.ts";
import type { DmEvent } from "../world/direct-messages.ts";
import { mediaKey } from "../world/media.ts";
import { entitiesOf } from "./post.ts";
import { withFields, words } from "./requested-fields.ts";
import type { View } from "./view.ts";

export function renderDmEvent(event: DmEvent, view: View): JsonObject {
  const names = words[view.requested.vocabulary];
  const mediaKeys = event.mediaIds.flatMap((id) => view.world.media.get(id) ?? []).map(mediaKey);
  const attachments = mediaKeys.length === 0 ? undefined : { media_keys: mediaKeys };
  const shared = event.sharedPostIds.length === 0 ? undefined : event.sharedPostIds.map((id) => ({ id }));
  const defaults: JsonDraft = { id: event.id, event_type: event.kind };
  if (event.text !== undefined) defaults.text = event.text;
  const out: JsonDraft = {
    ...withFields(defaults, view.requested.dmEvents, {
      attachments,
      created_at: iso(event.at),
      dm_conversation_id: event.conversationId,
      entities: event.entities === undefined ? undefined : entitiesOf(event.entities),
      participant_ids: event.kind === "MessageCreate" ? undefined : event.participantIds,
      sender_id: event.senderId,
    }),
  };
  if (view.requested.dmEvents.includes("referenced_posts") && shared !== undefined)
    out[names.referenced] = shared;
  if (view.wants("sender_id")) {
    out.sender_id = event.senderId;
    view.includePerson(event.senderId);
  }
  if (view.wants("participant_ids") && event.kind !== "MessageCreate") {
    out.participant_ids = event.participantIds;
    for (const id of event.participantIds) view.includePerson(id);
  }
  if (view.wants("attachments.media_keys") && attachments !== undefined) {
    out.attachments = attachments;
    for (const id of event.mediaIds) view.includeMedia(id);
  }
  if (view.wants("referenced_posts") && shared !== undefined) {
    out[names.referenced] = shared;
    for (const { id } of shared) view.includePost(id, names.referenced);
  }
  return out;
}
