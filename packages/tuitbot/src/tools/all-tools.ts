import type { Tool } from "@toolpact/contract";
import { adsTools } from "../spec/ads.ts";
import { complianceTools } from "../spec/compliance.ts";
import { listTools } from "../spec/lists.ts";
import { messageTools } from "../spec/messages.ts";
import { moderationTools } from "../spec/moderation.ts";
import { postTools } from "../spec/posts.ts";
import { removedTools } from "../spec/removed.ts";
import { spaceTools } from "../spec/spaces.ts";
import { streamRuleTools } from "../spec/stream-rules.ts";
import * as analytics from "./analytics.ts";
import * as approval from "./approval.ts";
import * as audit from "./audit.ts";
import * as compose from "./compose.ts";
import * as composite from "./composite.ts";
import * as config from "./config.ts";
import * as content from "./content.ts";
import * as context from "./context.ts";
import * as discovery from "./discovery.ts";
import * as drafts from "./drafts.ts";
import * as dryRun from "./dry-run.ts";
import * as engage from "./engage.ts";
import * as health from "./health.ts";
import * as media from "./media.ts";
import * as meta from "./meta.ts";
import * as policy from "./policy.ts";
import * as people from "./read/people.ts";
import * as posts from "./read/posts.ts";
import * as request from "./request.ts";
import * as scoring from "./scoring.ts";
import * as telemetry from "./telemetry.ts";
import * as usage from "./usage.ts";
import * as write from "./write.ts";

/** Every tool there is. Which of them a client gets is its profile's business. */
export const allTools: readonly Tool[] = [
  ...[
    analytics,
    approval,
    audit,
    compose,
    composite,
    config,
    content,
    context,
    discovery,
    drafts,
    dryRun,
    engage,
    health,
    media,
    meta,
    people,
    policy,
    posts,
    request,
    scoring,
    telemetry,
    usage,
    write,
  ].flatMap((tools) => Object.values(tools)),
  ...postTools,
  ...listTools,
  ...moderationTools,
  ...spaceTools,
  ...messageTools,
  ...complianceTools,
  ...streamRuleTools,
  ...adsTools,
  ...removedTools,
];
