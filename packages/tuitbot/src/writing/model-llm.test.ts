import type { Clock } from "@toolpact/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, modelServer } from "../../test/model-server.ts";
import { configSchema } from "../config/schema.ts";
import type { Assignment } from "./assignment.ts";
import { type ModelSetting, modelLlm } from "./model-llm.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await modelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Records pauses without waiting; the test triggers timeouts. */
function hasty() {
  const waits: number[] = [];
  let timeUp: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    after(ms, run) {
      if (ms === TIMEOUT_MS) timeUp = run;
      else {
        waits.push(ms);
        queueMicrotask(run);
      }
      return () => {};
    },
  };
  return { clock, waits, timeUp: () => timeUp?.() };
}

const TIMEOUT_MS = 60_000;
const KEY = "sk-test-not-to-be-seen";

function llm(time = hasty(), setting: Partial<ModelSetting> = {}) {
  return modelLlm({
    provider: "openai",
    model: "",
    apiKey: KEY,
    baseUrl: server.url,
    price: undefined,
    timeoutMs: TIMEOUT_MS,
    fetch,
    clock: time.clock,
    random: () => 0,
    ...setting,
  });
}

const assignment: Assignment = {
  purpose: "tweet",
  business: configSchema.parse({ business: { product_name: "Crumb", brand_voice: "plain" } }).business,
  framework: "tip",
  instruction: "One tip.",
  mentionProduct: true,
  examples: [],
  topic: "sourdough",
};

const never = new AbortController().signal;

describe.each([
  {
    provider: "openai",
    path: "/v1/chat/completions",
    header: "authorization",
    key: `Bearer ${KEY}`,
    model: "gpt-4.1-mini",
  },
  {
    provider: "groq",
    path: "/v1/chat/completions",
    header: "authorization",
    key: `Bearer ${KEY}`,
    model: "llama-3.3-70b-versatile",
  },
  {
    provider: "ollama",
    path: "/v1/chat/completions",
    header: "authorization",
    key: `Bearer ${KEY}`,
    model: "llama3.1",
  },
  { provider: "anthropic", path: "/v1/messages", header: "x-api-key", key: KEY, model: "claude-sonnet-4-5" },
] as const)("$provider", ({ provider, path, header, key, model }) => {
  test("is asked in its own language, with its key and its usual model", async () => {
    server.says("Feed it at the same hour.");
    const answer = await llm(hasty(), { provider }).write(assignment, never);
    expect(answer).toMatchObject({
      ok: true,
      value: { text: "Feed it at the same hour.", isCut: false, inputTokens: 1_000, outputTokens: 50 },
    });
    const request = server.requests.at(-1);
    expect(request).toMatchObject({ path, model, headers: { [header]: key } });
    expect(request?.system).toContain("Crumb");
    expect(request?.prompt).toBe("Topic: sourdough\nForm: One tip.");
  });

  test("says when it was stopped before it was done", async () => {
    server.says({ text: "Feed it at", isCut: true });
    expect(await llm(hasty(), { provider }).write(assignment, never)).toMatchObject({
      value: { isCut: true },
    });
  });
});

describe("what passes is tried again", () => {
  test.each([
    { name: "a server error", answer: { status: 503 } },
    { name: "a limit", answer: { status: 429 } },
    { name: "too much load", answer: { status: 529 } },
    { name: "a broken connection", answer: "hang up" as const },
    { name: "half an answer", answer: "break off" as const },
  ])("$name", async ({ answer }) => {
    const before = server.requests.length;
    const time = hasty();
    server.says(answer, "It worked.");
    expect(await llm(time).write(assignment, never)).toMatchObject({ value: { text: "It worked." } });
    expect(server.requests.length - before).toBe(2);
    expect(time.waits).toEqual([500]);
  });

  test("three times in all, after longer and longer pauses", async () => {
    const before = server.requests.length;
    const time = hasty();
    server.says({ status: 500 });
    expect(await llm(time).write(assignment, never)).toMatchObject({
      failure: { code: "llm_error", reason: "provider_error", fixBy: "agent" },
    });
    expect(server.requests.length - before).toBe(3);
    expect(time.waits).toEqual([500, 1_000]);
  });

  test("as the provider asks, unless that takes too long", async () => {
    const time = hasty();
    server.says(
      { status: 429, headers: { "retry-after": "3" } },
      { status: 429, headers: { "retry-after": "60" } },
    );
    expect(await llm(time).write(assignment, never)).toMatchObject({
      failure: { code: "llm_error", reason: "rate_limited", retryAfterMs: 60_000 },
    });
    expect(time.waits).toEqual([3_000]);
  });
});

test.each([400, 401, 403, 404])("%i is not retried, and the operator is notified", async (status) => {
  const before = server.requests.length;
  server.says({ status, body: JSON.stringify({ error: { message: `Bad key ${KEY}`, type: "auth" } }) });
  const answer = await llm().write(assignment, never);
  expect(answer).toMatchObject({ failure: { code: "llm_error", reason: "refused", fixBy: "operator" } });
  expect(JSON.stringify(answer)).not.toContain(KEY);
  expect(server.requests.length - before).toBe(1);
});

test.each([301, 302, 303, 307, 308])("a redirect with %i does not take the key elsewhere", async (status) => {
  const elsewhere = await modelServer();
  for (const provider of ["openai", "anthropic", "groq", "ollama"] as const) {
    const location = `${elsewhere.url}/chat/completions`;
    const redirect = { status, headers: { location } };
    server.says(redirect, redirect, redirect);
    expect(await llm(hasty(), { provider }).write(assignment, never)).toMatchObject({
      failure: { code: "llm_error", reason: "unreachable" },
    });
  }
  expect(elsewhere.requests).toEqual([]);
  await elsewhere[Symbol.asyncDispose]();
});

test("an answer that cannot be read is a failure", async () => {
  server.says({ status: 200, body: "<html>" });
  expect(await llm().write(assignment, never)).toMatchObject({
    failure: { code: "llm_error", reason: "unreadable" },
  });
});

test("a model that does not answer in time is asked again", async () => {
  server.says("silence");
  const time = hasty();
  const controller = new AbortController();
  const before = server.requests.length;
  const answer = llm(time).write(assignment, controller.signal);
  await expect.poll(() => server.requests.length).toBe(before + 1);
  server.says("Too late.");
  time.timeUp();
  expect(await answer).toMatchObject({ value: { text: "Too late." } });
});

test("a call that is taken back ends at once", async () => {
  server.says("silence");
  const controller = new AbortController();
  const before = server.requests.length;
  const answer = llm().write(assignment, controller.signal);
  await expect.poll(() => server.requests.length).toBe(before + 1);
  controller.abort();
  expect(await answer).toMatchObject({ failure: { code: "llm_error" } });
  expect(server.requests.length).toBe(before + 1);
});

describe("costs", () => {
  beforeEach(() => server.says("A text."));

  test.each([
    {
      name: "nothing that is known, at another address than the provider's",
      setting: {},
      costMicros: undefined,
    },
    { name: "nothing on one's own machine", setting: { provider: "ollama" as const }, costMicros: 0 },
    { name: "what the operator says", setting: { price: { input: 2, output: 10 } }, costMicros: 2_500 },
  ])("$name", async ({ setting, costMicros }) => {
    const answer = await llm(hasty(), setting).write(assignment, never);
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && answer.value.costMicros).toBe(costMicros);
  });

  test("what the provider's list says, for a dated version too", async () => {
    const toServer: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return fetch(new URL(pathname, server.url), init);
    };
    const setting = { baseUrl: undefined, fetch: toServer, model: "gpt-4.1-2025-04-14" };
    const answer = await llm(hasty(), setting).write(assignment, never);
    expect(answer.ok && answer.value.costMicros).toBe(2 * 1_000 + 8 * 50);
  });
});

test.each([-5, 1.5, 1e30])(
  "a provider that is wrong about what was used (%d) is still listened to",
  async (tokens) => {
    const choices = [
      { index: 0, message: { role: "assistant", content: "Feed it." }, finish_reason: "stop" },
    ];
    const usage = { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: tokens };
    const body = { id: "chat-1", object: "chat.completion", created: 0, model: "m", choices, usage };
    server.says({ status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const answer = await llm(hasty(), { price: { input: 1, output: 1 } }).write(assignment, never);
    expect(answer.ok && answer.value).toMatchObject({
      text: "Feed it.",
      inputTokens: undefined,
      outputTokens: undefined,
      costMicros: undefined,
    });
  },
);
