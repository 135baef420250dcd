import { parseJson } from "@toolpact/contract/internal";
import { type Method, type OperationId, operationAt, xHosts } from "@toolpact/x-api";
import * as z from "zod";
import { xErrors, xWriteErrors } from "../../errors.ts";
import type { CallPlan, TuitbotTool } from "../../guards/call/tool-facts.ts";
import { adminOnly } from "../../profiles.ts";
import { objectIn } from "../../x/shapes/x-object.ts";
import { MAX_BODY, MAX_IDS, MAX_WORD } from "../../x/text-limits.ts";
import {
  postIn,
  readRequestPages,
  requestAnswer,
  requestPages,
  sendPostRequest,
  sendRequest,
} from "../../x/toolkit/request.ts";
import type { PostRequest } from "../../x/toolkit/write.ts";
import { defineTool } from "../product.ts";
import { complianceTools, streamRuleTools } from "./app.ts";
import * as engage from "./engage.ts";
import { listTools } from "./lists.ts";
import { uploadMediaTool } from "./media.ts";
import { messageTools } from "./messages.ts";
import { moderationTools } from "./moderation.ts";
import { postTools } from "./posts.ts";
import { deleteTweet, postTweet, quoteTweet, replyToTweet } from "./write.ts";

const pairs = z
  .array(z.strictObject({ key: z.string().min(1).max(MAX_WORD), value: z.string().max(MAX_IDS) }))
  .max(100)
  .default([]);

const target = {
  path: z.string().max(MAX_WORD).describe("Such as /2/users/me, without a query"),
  host: z.enum(xHosts).default("api.x.com").describe("Host of X"),
  query: pairs.describe('Query parameters, such as [{key: "max_results", value: "10"}]'),
  headers: pairs.describe("More request headers; Authorization, Host and similar ones are refused"),
};

const body = z.string().max(MAX_BODY).optional().describe('A JSON object as text, such as {"text": "Hello"}');

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
  searchWords: "raw GET request, call any endpoint",
  title: "Send a GET request",
  description:
    "Send any GET request to X's API and return status and body. For requests that no other tool covers: typed tools give smaller answers. A status of 400 or more is an error.",
  category: "read",
  effect: "none",
  input: z.strictObject({
    ...target,
    auto_paginate: z.boolean().default(false).describe("true: follow meta.next_token from page to page"),
    max_pages: z.int().min(1).max(10).default(10).describe("Stop after so many pages"),
  }),
  output: z.union([requestAnswer, requestPages]),
  handler: ({ auto_paginate, max_pages, ...request }, { x, signal }) =>
    auto_paginate
      ? readRequestPages(x, { method: "GET", ...request }, max_pages, signal)
      : sendRequest(x, { method: "GET", ...request }, signal),
});

export const xPost = defineTool({
  ...anyRequest,
  name: "x_post",
  searchWords: "raw POST request, call any endpoint",
  title: "Send a POST request",
  description:
    "Send any POST request to X's API, once. For requests that no other tool covers. The policy treats it like the typed tool for the same operation.",
  category: "write",
  effect: "create",
  errors: xWriteErrors,
  facts: { publishes: "any" },
  input: z.strictObject({ ...target, body }),
  output: requestAnswer,
  plan: (request) => planOf("POST", request),
  handler: (request, { x, signal }) => sendPostRequest(x, request, signal),
});

export const xPut = defineTool({
  ...anyRequest,
  name: "x_put",
  searchWords: "raw PUT request",
  title: "Send a PUT request",
  description: "Send any PUT request to X's API, once. For requests that no other tool covers.",
  category: "write",
  effect: "update",
  input: z.strictObject({ ...target, body }),
  output: requestAnswer,
  plan: (request) => planOf("PUT", request),
  handler: (request, { x, signal }) => sendRequest(x, { method: "PUT", ...request }, signal),
});

export const xDelete = defineTool({
  ...anyRequest,
  name: "x_delete",
  searchWords: "raw DELETE request",
  title: "Send a DELETE request",
  description: "Send any DELETE request to X's API, once. For requests that no other tool covers.",
  category: "write",
  effect: "delete",
  input: z.strictObject(target),
  output: requestAnswer,
  plan: (request) => planOf("DELETE", request),
  handler: (request, { x, signal }) => sendRequest(x, { method: "DELETE", ...request }, signal),
});

/** From method, path and body. */
function planOf(
  method: Method,
  { path, host, body }: { readonly path: string; readonly host: string; readonly body?: string | undefined },
): CallPlan {
  const { operation, path: inPath = {} } = operationAt(method, path) ?? {};
  const given = objectIn(body === undefined ? undefined : parseJson(body));
  const isAds = host === "ads-api.x.com" || /^\/1\d\//.test(path);
  const request = { operation, path: inPath, body: given, isAds };
  if (operation !== "createPosts") return { request, sameAs: typedTool(operation)?.name };
  const post = postIn(given);
  return { request, posts: [post], sameAs: postingTool(post).name };
}

const typedTools: readonly TuitbotTool[] = [
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

function typedTool(operation: OperationId | undefined): TuitbotTool | undefined {
  return typedTools.find(({ facts }) => facts.operations?.some((id) => id === operation));
}

function postingTool({ replyTo, quoteOf }: PostRequest): TuitbotTool {
  if (replyTo !== undefined) return replyToTweet;
  return quoteOf === undefined ? postTweet : quoteTweet;
}
