import { EFFECTS } from "@toolpact/contract";
import { type TuitbotTool, writeOperation } from "../guards/call/tool-facts.ts";
import { operationRow } from "../x/operation-table.ts";
import * as analytics from "./workflow/analytics.ts";
import * as approval from "./workflow/approval.ts";
import * as audit from "./workflow/audit.ts";
import * as compose from "./workflow/compose.ts";
import * as composite from "./workflow/composite.ts";
import * as config from "./workflow/config.ts";
import * as content from "./workflow/content.ts";
import * as context from "./workflow/context.ts";
import * as discovery from "./workflow/discovery.ts";
import * as drafts from "./workflow/drafts.ts";
import * as dryRun from "./workflow/dry-run.ts";
import * as findTools from "./workflow/find-tools.ts";
import * as health from "./workflow/health.ts";
import * as meta from "./workflow/meta.ts";
import * as policy from "./workflow/policy.ts";
import * as refreshAnalytics from "./workflow/refresh-analytics.ts";
import * as scoring from "./workflow/scoring.ts";
import * as severalCalls from "./workflow/several-calls.ts";
import * as takeBack from "./workflow/take-back.ts";
import * as telemetry from "./workflow/telemetry.ts";
import { adsTools } from "./x/ads.ts";
import { complianceTools, streamRuleTools } from "./x/app.ts";
import { draftArticle } from "./x/articles.ts";
import * as engage from "./x/engage.ts";
import { listTools } from "./x/lists.ts";
import * as media from "./x/media.ts";
import { messageTools } from "./x/messages.ts";
import { moderationTools } from "./x/moderation.ts";
import { postTools } from "./x/posts.ts";
import * as people from "./x/read-people.ts";
import * as posts from "./x/read-posts.ts";
import { removedTools } from "./x/removed.ts";
import * as request from "./x/request.ts";
import { spaceTools } from "./x/spaces.ts";
import * as usage from "./x/usage.ts";
import * as write from "./x/write.ts";

const declared: readonly TuitbotTool[] = [
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
    findTools,
    health,
    media,
    meta,
    people,
    policy,
    posts,
    refreshAnalytics,
    severalCalls,
    request,
    scoring,
    telemetry,
    usage,
    write,
  ].flatMap((tools) => Object.values(tools)),
  draftArticle,
  ...postTools,
  ...listTools,
  ...moderationTools,
  ...spaceTools,
  ...messageTools,
  ...complianceTools,
  ...streamRuleTools,
  ...adsTools,
  ...removedTools,
  ...Object.values(takeBack),
];

/** A client's profile selects from these. */
export const allTools: readonly TuitbotTool[] = declared.map(withUndoTool);

/** By the operation that undoes the tool's. */
function withUndoTool(tool: TuitbotTool): TuitbotTool {
  const { undo } = operationRow(writeOperation(tool.facts)) ?? {};
  const undoTool = declared.find(
    (other) => other !== tool && isChange(other) && writeOperation(other.facts) === undo,
  );
  return undo === undefined || undoTool === undefined
    ? tool
    : { ...tool, facts: { ...tool.facts, undoTool: undoTool.name } };
}

function isChange({ effects }: TuitbotTool): boolean {
  return effects.some((effect) => EFFECTS[effect].mutates);
}
