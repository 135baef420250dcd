import { iso, type JsonObject } from "../json.ts";
import type { PeopleList } from "../world/world.ts";
import { withFields } from "./requested-fields.ts";
import type { View } from "./view.ts";

export function renderList(list: PeopleList, view: View): JsonObject {
  const { world } = view;
  const out = withFields({ id: list.id, name: list.name }, view.requested.lists, {
    created_at: iso(list.createdAt),
    description: list.description,
    follower_count: world.listFollowers.to(list.id).size,
    member_count: world.listMembers.from(list.id).size,
    owner_id: list.ownerId,
    private: list.private,
  });
  if (!view.wants("owner_id")) return out;
  view.includePerson(list.ownerId);
  return { ...out, owner_id: list.ownerId };
}
