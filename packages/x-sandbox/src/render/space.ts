import { iso, type JsonDraft, type JsonObject } from "../json.ts";
import type { Space } from "../world/space.ts";
import { withFields } from "./requested-fields.ts";
import type { View } from "./view.ts";

export function renderSpace(space: Space, view: View): JsonObject {
  const out: JsonDraft = {
    ...withFields({ id: space.id, state: space.state }, view.requested.spaces, {
      created_at: iso(space.createdAt),
      creator_id: space.creatorId,
      ended_at: time(space.endedAt),
      host_ids: space.hostIds,
      invited_user_ids: space.invitedIds,
      is_ticketed: space.ticketed,
      lang: space.lang,
      participant_count: space.participants,
      scheduled_start: time(space.scheduledStart),
      speaker_ids: space.speakerIds,
      started_at: time(space.startedAt),
      subscriber_count: space.subscribers,
      title: space.title,
      topic_ids: space.topicIds,
      updated_at: iso(space.endedAt ?? space.startedAt ?? space.createdAt),
    }),
  };
  if (view.wants("creator_id")) {
    out.creator_id = space.creatorId;
    view.includePerson(space.creatorId);
  }
  const groups = [
    ["host_ids", space.hostIds],
    ["invited_user_ids", space.invitedIds],
    ["speaker_ids", space.speakerIds],
  ] as const;
  for (const [name, ids] of groups) {
    if (!view.wants(name)) continue;
    out[name] = ids;
    for (const id of ids) view.includePerson(id);
  }
  if (view.wants("topic_ids")) {
    out.topic_ids = space.topicIds;
    for (const id of space.topicIds) view.includeTopic(id);
  }
  return out;
}

function time(value: number | undefined): string | undefined {
  return value === undefined ? undefined : iso(value);
}
