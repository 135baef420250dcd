import type { english } from "../en/english.ts";
import { activity } from "./activity.ts";
import { analytics } from "./analytics.ts";
import { autopilot } from "./autopilot.ts";
import { calendar } from "./calendar.ts";
import { clients } from "./clients.ts";
import { compose } from "./compose.ts";
import { discovery } from "./discovery.ts";
import { failures, general, problems, refusals, roles, views } from "./general.ts";
import { inbox } from "./inbox.ts";
import { mentions } from "./mentions.ts";
import { policy } from "./policy.ts";
import { media, post } from "./post.ts";
import { guide, passkeys, sessions, settings, setup, thisBrowser } from "./settings.ts";
import { keys, palette, shell, signIn, stop } from "./shell.ts";
import { spend } from "./spend.ts";

/** Every text of the page in German. */
export const german: typeof english = {
  general,
  views,
  problems,
  refusals,
  failures,
  shell,
  roles,
  stop,
  palette,
  signIn,
  keys,
  post,
  inbox,
  spend,
  analytics,
  activity,
  clients,
  compose,
  media,
  calendar,
  autopilot,
  discovery,
  policy,
  mentions,
  settings,
  thisBrowser,
  guide,
  passkeys,
  sessions,
  setup,
};
