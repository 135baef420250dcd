import { expect, test } from "vitest";
import { endOf, receiptedFetch } from "./receipted-fetch.ts";

const sent: unknown[] = [];
const guarded = receiptedFetch(async (input) => {
  sent.push(input);
  return Response.json({});
});
const url = "https://api.x.com/2/tweets";

test.each<readonly [string, Parameters<typeof fetch>]>([
  ["a write", [url, { method: "POST", body: "{}" }]],
  ["a write in a request object", [new Request(url, { method: "DELETE" })]],
  ["a read that is to count as a write", [url, { headers: { "X-HTTP-Method-Override": "DELETE" } }]],
  ["an upload", [`${url.replace("tweets", "media/upload")}`, { method: "POST", body: new FormData() }]],
])("%s without a receipt is not sent", async (_, args) => {
  sent.length = 0;
  const response = await guarded(...args);
  expect(response.status).toBe(403);
  expect(sent).toEqual([]);
});

test("a read is sent as it is", async () => {
  sent.length = 0;
  await guarded(`${url}/1`, { headers: { accept: "application/json" } });
  expect(sent).toEqual([`${url}/1`]);
});

test.each([
  [201, '{"data":{"id":"1"}}', "confirmed"],
  [200, "", "confirmed"],
  [200, '{"errors":[{"title":"Not Found Error"}]}', "failed"],
  [200, "<html>", "unknown"],
  [400, "{}", "failed"],
  [401, "{}", "failed"],
  [403, "{}", "failed"],
  [408, "{}", "unknown"],
  [429, "{}", "failed"],
  [500, "{}", "unknown"],
  [503, "<html>", "unknown"],
  [302, "", "unknown"],
] as const)("of an answer with %i and %s the outcome is as X means it", (status, text, state) => {
  expect(endOf(status, text).state).toBe(state);
});
