import { analytics, retention } from "./analytics.ts";
import { content, threads } from "./content.ts";
import { discovery } from "./discovery.ts";
import { mentions } from "./mentions.ts";
import type { Loop } from "./pass.ts";
import { scheduled } from "./scheduled.ts";
import { targets } from "./targets.ts";

/** In the order of a pass: scheduled posts, replies to mentions, then the rest. */
export const allLoops: readonly Loop[] = [
  scheduled,
  mentions,
  targets,
  discovery,
  content,
  threads,
  analytics,
  retention,
];
