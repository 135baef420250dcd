import { articles } from "./articles.ts";
import { compliance } from "./compliance.ts";
import type { Handlers } from "./context.ts";
import { directMessages } from "./direct-messages.ts";
import { engagement } from "./engagement.ts";
import { graph } from "./graph.ts";
import { lists } from "./lists.ts";
import { media } from "./media.ts";
import { postLookup } from "./post-lookup.ts";
import { postSearch } from "./post-search.ts";
import { postWrites } from "./post-writes.ts";
import { spaces } from "./spaces.ts";
import { stream } from "./stream.ts";
import { timelines } from "./timelines.ts";
import { usage } from "./usage.ts";
import { users } from "./users.ts";

/** All others answer 501. */
export const handlers: Handlers = {
  ...articles,
  ...compliance,
  ...directMessages,
  ...engagement,
  ...graph,
  ...lists,
  ...media,
  ...postLookup,
  ...postSearch,
  ...postWrites,
  ...spaces,
  ...stream,
  ...timelines,
  ...usage,
  ...users,
};
