import { createHash } from "node:crypto";
import { iso } from "./json.ts";
import { receivedBytes } from "./rules/media-upload.ts";
import type { State } from "./state.ts";
import type { DmEvent } from "./world/direct-messages.ts";
import type { Media } from "./world/media.ts";
import type { Person } from "./world/person.ts";
import type { Post } from "./world/post.ts";
import type { Space } from "./world/space.ts";
import type { Article, PeopleList } from "./world/world.ts";

export interface StateDump {
  readonly seed: number;
  readonly plan: string;
  readonly now: string;
  /** Digest of the world: equal for the same seed and start until something changes. */
  readonly digest: string;
  readonly balance_usd: number;
  readonly people: readonly Person[];
  readonly posts: readonly Post[];
  readonly lists: readonly PeopleList[];
  readonly spaces: readonly Space[];
  readonly media: readonly MediaDump[];
  readonly direct_messages: readonly (Omit<DmEvent, "deletedFor"> & {
    readonly deletedFor: readonly string[];
  })[];
  readonly bonds: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>>;
  readonly articles: readonly Article[];
  readonly grants: readonly {
    readonly app: string;
    readonly user: string;
    readonly scopes: readonly string[];
  }[];
}

type MediaDump = Omit<Media, "segments"> & {
  readonly received: number;
  readonly segments: readonly { readonly index: number; readonly bytes: number; readonly sha256: string }[];
};

export function dumpOf({ settings, plan, clock, world, ledger, grants }: State): StateDump {
  const contents = {
    people: [...world.people.values()],
    posts: [...world.posts.values()],
    lists: [...world.lists.values()],
    spaces: [...world.spaces.values()],
    media: [...world.media.values()].map(dumpMedia),
    direct_messages: [...world.dmEvents.values()].map((event) => ({
      ...event,
      deletedFor: [...event.deletedFor],
    })),
    bonds: {
      follows: world.follows.pairs(),
      likes: world.likes.pairs(),
      bookmarks: world.bookmarks.pairs(),
      mutes: world.mutes.pairs(),
      blocks: world.blocks.pairs(),
      list_members: world.listMembers.pairs(),
      list_followers: world.listFollowers.pairs(),
      pinned_lists: world.pinnedLists.pairs(),
    },
  };
  return {
    seed: settings.seed,
    plan,
    now: iso(clock.now()),
    digest: createHash("sha256").update(JSON.stringify(contents)).digest("hex"),
    balance_usd: ledger.balanceUsd,
    ...contents,
    articles: [...world.articles.values()],
    grants: grants.liveGrants.map(({ app, userId, scopes }) => ({
      app: app.clientId,
      user: world.people.get(userId)?.username ?? userId,
      scopes,
    })),
  };
}

function dumpMedia(media: Media): MediaDump {
  const segments = [...media.segments].map(([index, { bytes, sha256 }]) => ({ index, bytes, sha256 }));
  return { ...media, received: receivedBytes(media), segments };
}
