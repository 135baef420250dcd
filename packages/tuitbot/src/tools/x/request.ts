import type { Method, OperationId } from "@toolpact/x-api";
import * as z from "zod";
import { xErrors, xWriteErrors } from "../../errors.ts";
import type { KnownTool, Plan } from "../../mutation/plan.ts";
import { adminOnly } from "../../profiles.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import { jsonOf } from "../../x/toolkit/raw-request.ts";
import {
  postIn,
  readRequestPages,
  requestAnswer,
  requestPages,
  sendPostRequest,
  sendRequest,
} from "../../x/toolkit/request.ts";
import { xHosts } from "../../x/toolkit/request-guard.ts";
import { operationAt } from "../../x/toolkit/route.ts";
import type { PostRequest } from "../../x/toolkit/write.ts";
import { defineTool } from "../product.ts";
import { complianceTools } from "./compliance.ts";
import * as engage from "./engage.ts";
import { listTools } from "./lists.ts";
import { uploadMediaTool } from "./media.ts";
import { messageTools } from "./messages.ts";
import { moderationTools } from "./moderation.ts";
import { postTools } from "./posts.ts";
import { streamRuleTools } from "./stream-rules.ts";
import { deleteTweet, postTweet, quoteTweet, replyToTweet } from "./write.ts";

const pairs = z.array(z.strictObject({ key: z.string().min(1), value: z.string() })).default([]);

const target = {
  path: z.string().describe("Begins with /2/, without a query"),
  host: z
    .string()
    .default("api.x.com")
    .describe(`One of ${xHosts.join(", ")}`),
  query: pairs.describe("Query parameters"),
  headers: pairs.describe("More headers; none about identity or framing"),
};

const body = z.string().optional().describe("Text of a JSON object");

const anyRequest = {
  openWorld: true,
  profiles: adminOnly,
  needs: ["x"],
  errors: xErrors,
  goOn: "Ask for fewer fields or a smaller page.",
} as const;

export const xGet = defineTool({
  ...anyRequest,
  name: "x_get",
  title: "GET from X's API",
  describe: "Any read of X's API that no typed tool covers. A status of 400 or more is an error.",
  category: "read",
  effect: "none",
  input: z.strictObject({
    ...target,
    auto_paginate: z.boolean().default(false).describe("Follow meta.next_token"),
    max_pages: z.int().min(1).max(10).default(10).describe("Most pages to follow"),
  }),
  output: z.union([requestAnswer, requestPages]),
  run: ({ auto_paginate, max_pages, ...wish }, { x, signal }) =>
    auto_paginate
      ? readRequestPages(x, { method: "GET", ...wish }, max_pages, signal)
      : sendRequest(x, { method: "GET", ...wish }, signal),
});

export const xPost = defineTool({
  ...anyRequest,
  name: "x_post",
  title: "POST to X's API",
  describe: "Any POST of X's API that no typed tool covers. Sent once.",
  category: "write",
  effect: "create",
  errors: xWriteErrors,
  facts: { publishes: "any" },
  input: z.strictObject({ ...target, body }),
  output: requestAnswer,
  plan: (request) => planOf("POST", request),
  run: (wish, { x, signal }) => sendPostRequest(x, wish, signal),
});

export const xPut = defineTool({
  ...anyRequest,
  name: "x_put",
  title: "PUT to X's API",
  describe: "Any PUT of X's API that no typed tool covers. Sent once.",
  category: "write",
  effect: "update",
  input: z.strictObject({ ...target, body }),
  output: requestAnswer,
  plan: (request) => planOf("PUT", request),
  run: (wish, { x, signal }) => sendRequest(x, { method: "PUT", ...wish }, signal),
});

export const xDelete = defineTool({
  ...anyRequest,
  name: "x_delete",
  title: "DELETE in X's API",
  describe: "Any DELETE of X's API that no typed tool covers. Sent once.",
  category: "write",
  effect: "delete",
  input: z.strictObject(target),
  output: requestAnswer,
  plan: (request) => planOf("DELETE", request),
  run: (wish, { x, signal }) => sendRequest(x, { method: "DELETE", ...wish }, signal),
});

/** What a request in X's own terms does, told from its method, path and body. */
function planOf(
  method: Method,
  { path, host, body }: { readonly path: string; readonly host: string; readonly body?: string | undefined },
): Plan {
  const operation = operationAt(method, path)?.operation;
  const given = objectIn(body === undefined ? undefined : jsonOf(body));
  const isAds = host === "ads-api.x.com" || /^\/1\d\//.test(path);
  const request = { operation, body: given, isAds };
  if (operation !== "createPosts") return { request, sameAs: typedTool(operation)?.name };
  const post = postIn(given);
  return { request, posts: [post], sameAs: postingTool(post).name };
}

const typedTools: readonly KnownTool[] = [
  ...Object.values(engage),
  uploadMediaTool,
  deleteTweet,
  ...listTools,
  ...moderationTools,
  ...postTools,
  ...messageTools,
  ...complianceTools,
  ...streamRuleTools,
];

function typedTool(operation: OperationId | undefined): KnownTool | undefined {
  return typedTools.find(({ facts }) => facts.operations?.some((id) => id === operation));
}

function postingTool({ replyTo, quoteOf }: PostRequest): KnownTool {
  if (replyTo !== undefined) return replyToTweet;
  return quoteOf === undefined ? postTweet : quoteTweet;
}
