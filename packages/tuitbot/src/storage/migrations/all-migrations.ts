import { mutations } from "./001-mutations.ts";
import { engagement } from "./002-engagement.ts";
import { content } from "./003-content.ts";
import { decisions } from "./004-decisions.ts";
import { mediaNames } from "./005-media-names.ts";
import { scheduledLinks } from "./006-scheduled-links.ts";
import { threadTails } from "./007-thread-tails.ts";
import { reads } from "./008-reads.ts";
import type { Migration } from "./migration.ts";

/** Every migration, oldest first. New ones go to the end. */
export const allMigrations: readonly Migration[] = [
  mutations,
  engagement,
  content,
  decisions,
  mediaNames,
  scheduledLinks,
  threadTails,
  reads,
];
