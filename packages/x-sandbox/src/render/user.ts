import { iso, type Json, type JsonDraft, type JsonObject } from "../json.ts";
import type { Person } from "../world/person.ts";
import { words } from "./requested-fields.ts";
import type { View } from "./view.ts";

export function renderUser(person: Person, view: View, as: "asked" | "included" = "asked"): JsonObject {
  const names = words[view.requested.vocabulary];
  const out: JsonDraft = { id: person.id, name: person.name, username: person.username };
  for (const field of view.requested.users) {
    const value = fields.get(field)?.(person, view);
    if (value === undefined) continue;
    if (field === "pinned_post_id") out[names.pinned] = value;
    else if (field === "most_recent_post_id") out[names.mostRecent] = value;
    else out[field] = value;
  }
  if (as === "asked") expand(out, person, view);
  return out;
}

function expand(out: JsonDraft, person: Person, view: View): void {
  const names = words[view.requested.vocabulary];
  if (view.wants("pinned_post_id") && person.pinnedPostId !== undefined) {
    out[names.pinned] = person.pinnedPostId;
    view.includePost(person.pinnedPostId, names.pinned);
  }
  const latest = view.wants("most_recent_post_id") ? view.world.postsBy.of(person.id).newest() : undefined;
  if (latest !== undefined) {
    out[names.mostRecent] = latest;
    view.includePost(latest, names.mostRecent);
  }
}

const fields: ReadonlyMap<string, (person: Person, view: View) => Json> = new Map(
  Object.entries<(person: Person, view: View) => Json>({
    connection_status: connectionStatus,
    created_at: (person) => iso(person.createdAt),
    description: (person) => person.bio,
    entities: ({ url }) =>
      url === undefined
        ? undefined
        : {
            url: {
              urls: [
                {
                  start: 0,
                  end: url.length,
                  url,
                  expanded_url: url,
                  display_url: url.replace("https://", ""),
                },
              ],
            },
          },
    is_identity_verified: () => false,
    location: (person) => person.location,
    most_recent_post_id: (person, view) => view.world.postsBy.of(person.id).newest(),
    parody: () => false,
    pinned_post_id: (person) => person.pinnedPostId,
    profile_image_url: (person) => `https://pbs.example.com/profile_images/${person.id}/photo_normal.jpg`,
    protected: (person) => person.protected,
    public_metrics: publicMetrics,
    receives_your_dm: (person, { world, viewer }) =>
      viewer !== undefined && (person.opensDms || world.follows.has(person.id, viewer.id)),
    subscribes_to_you: () => false,
    subscription: () => ({ subscribes_to_you: false }),
    subscription_type: (person) => person.subscription,
    url: (person) => person.url,
    verified: (person) => person.verified !== "none",
    verified_followers_count: (person, { world }) =>
      world.follows
        .to(person.id)
        .items()
        .filter((id) => world.people.get(id)?.verified !== "none").length,
    verified_type: (person) => person.verified,
  }),
);

function publicMetrics(person: Person, { world, requested }: View): JsonObject {
  return {
    followers_count: world.follows.to(person.id).size + (person.otherFollowers ?? 0),
    following_count: world.follows.from(person.id).size,
    [words[requested.vocabulary].postCount]: world.postsBy.of(person.id).size,
    listed_count: world.listMembers.to(person.id).size,
    like_count: world.likes.from(person.id).size,
  };
}

function connectionStatus(person: Person, { world, viewer }: View): Json {
  if (viewer === undefined) return undefined;
  const status: string[] = [];
  if (world.blocks.has(viewer.id, person.id)) status.push("blocking");
  if (world.follows.has(person.id, viewer.id)) status.push("followed_by");
  if (world.follows.has(viewer.id, person.id)) status.push("following");
  if (world.mutes.has(viewer.id, person.id)) status.push("muting");
  return status;
}
