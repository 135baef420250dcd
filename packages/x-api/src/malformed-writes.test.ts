import { describe, expect, test } from "vitest";
import { readAnswer } from "./answer.ts";
import { writeResult } from "./journal.ts";
import { isOperationId, type Operation, operations } from "./operations/index.ts";
import { planFor } from "./request-plan.ts";

const writes = Object.values(operations).filter(({ method }) => method !== "GET");

const WRONG_IDS: readonly unknown[] = [1_234_567_890, "", null, true, [], ["12"], {}, { id: "12" }];
const WRONG_FLAGS: readonly unknown[] = ["true", 1, null, [], {}];
const WRONG_DATA: readonly unknown[] = [12, "12", true, "", ["12"], [null], [[]]];

describe.each(writes)("the answer to $id", ({ id, answer }) => {
  test("counts as executed if it shows the result", () => {
    expect(read(id, { data: inShape(answer, goodResult(answer)) })).toMatchObject({
      outcome: { ok: true },
      state: "confirmed",
    });
  });

  test("is an unknown outcome if it does not", () => {
    const { ids = [], flags = [] } = answer.shows ?? {};
    const good = goodResult(answer);
    const bodies = [
      ...ids.flatMap((name) => WRONG_IDS.map((wrong) => inShape(answer, { ...good, [name]: wrong }))),
      ...flags.flatMap((name) => WRONG_FLAGS.map((wrong) => inShape(answer, { ...good, [name]: wrong }))),
      ...(answer.shows === undefined ? [] : [inShape(answer, {})]),
      ...(answer.data === "object"
        ? WRONG_DATA
        : WRONG_DATA.filter((data) => !Array.isArray(data) || data[0] !== undefined)),
    ].map((data) => ({ data }));
    for (const body of [...bodies, [], "ok", 12, true, null])
      expect([body, read(id, body)]).toMatchObject([
        body,
        { outcome: { failure: { kind: "network", cause: "unreadable", ambiguous: true } }, state: "unknown" },
      ]);
  });
});

test("operations that create posts, lists and messages return an id, and those that mark return a flag", () => {
  expect(operations.createPosts.answer.shows).toEqual({ ids: ["id"] });
  expect(operations.createLists.answer.shows).toEqual({ ids: ["id"] });
  expect(operations.createDirectMessagesByParticipantId.answer.shows?.ids).toContain("dm_event_id");
  expect(operations.likePost.answer.shows).toEqual({ flags: ["liked"] });
  expect(operations.deletePosts.answer.shows).toEqual({ flags: ["deleted"] });
  expect(writes.filter(({ answer }) => answer.shows !== undefined).length).toBeGreaterThan(55);
});

function goodResult({ shows: { ids = [], flags = [] } = {} }: Operation["answer"]): Record<string, unknown> {
  return Object.fromEntries([...ids.map((name) => [name, "12"]), ...flags.map((name) => [name, true])]);
}

function inShape({ data }: Operation["answer"], one: unknown): unknown {
  return data === "list" ? [one] : one;
}

function read(id: string, body: unknown) {
  if (!isOperationId(id)) throw new Error(id);
  const text = JSON.stringify(body);
  const response = { status: 200, ok: true, headers: new Headers() };
  const outcome = readAnswer(planFor(id), response, text, { rateWindows: [], now: 0, isUser: true });
  return { outcome, state: writeResult({ status: 200, text }, outcome).state };
}

test("an answer that is nested 20,000 levels deep is unreadable", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  for (const id of ["getUsersMe", "searchPostsRecent", "createPosts"] as const)
    for (const text of [deep, `{"data":${deep}}`, `{"data":{"id":"12"},"includes":${deep}}`]) {
      const response = { status: 200, ok: true, headers: new Headers() };
      const outcome = readAnswer(planFor(id), response, text, { rateWindows: [], now: 0, isUser: true });
      expect(outcome).toMatchObject({ failure: { kind: "network", cause: "unreadable", ambiguous: true } });
    }
});
