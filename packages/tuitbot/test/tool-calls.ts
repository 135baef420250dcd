import { adsCalls } from "./calls/ads.ts";
import { appCalls } from "./calls/app.ts";
import { contentCalls } from "./calls/content.ts";
import { dataCalls } from "./calls/data.ts";
import { engageCalls } from "./calls/engage.ts";
import { listsCalls } from "./calls/lists.ts";
import { mediaCalls } from "./calls/media.ts";
import { messagesCalls } from "./calls/messages.ts";
import { moderationCalls } from "./calls/moderation.ts";
import { readCalls } from "./calls/read.ts";
import { requestCalls } from "./calls/request.ts";
import { serverCalls } from "./calls/server.ts";
import { spacesCalls } from "./calls/spaces.ts";
import type { ToolCall } from "./calls/tool-call.ts";
import { workflowCalls } from "./calls/workflow.ts";
import { writeCalls } from "./calls/write.ts";

/** How every tool is called, by area. */
export const toolCalls: Readonly<Record<string, ToolCall>> = {
  ...adsCalls,
  ...appCalls,
  ...contentCalls,
  ...dataCalls,
  ...engageCalls,
  ...listsCalls,
  ...mediaCalls,
  ...messagesCalls,
  ...moderationCalls,
  ...readCalls,
  ...requestCalls,
  ...serverCalls,
  ...spacesCalls,
  ...workflowCalls,
  ...writeCalls,
};
