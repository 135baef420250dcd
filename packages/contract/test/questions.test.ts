import { afterEach, describe, expect, test, vi } from "vitest";
import { notesApp } from "./notes-product.ts";
import { post, serve } from "./raw-http.ts";

describe("a question to the person", () => {
  const ask = { method: "tools/call", params: { name: "delete_note", arguments: { id: "1" } } };
  const answered = (requestState: unknown, id = "1") => ({
    method: "tools/call",
    params: {
      name: "delete_note",
      arguments: { id },
      inputResponses: { confirm: { action: "accept", content: { confirm: "yes" } } },
      requestState,
    },
  });
  const stateOf = (answer: { json: Record<string, unknown> }) =>
    (answer.json.result as { requestState: string }).requestState;

  test("is answered by any replica that shares the key", async () => {
    const key = "k".repeat(32);
    const first = notesApp({ stateKey: key });
    const second = notesApp({ stateKey: key });
    for (const { store } of [first, second]) store.notes.set("1", "shared");
    const asking = await post((await serve({}, first)).url, ask);
    expect(asking.json).toMatchObject({
      result: { resultType: "input_required", inputRequests: { confirm: {} } },
    });
    const done = await post((await serve({}, second)).url, answered(stateOf(asking)));
    expect(done.json).toMatchObject({ result: { structuredContent: { data: { deleted: true } } } });
  });

  test("counts once among replicas that remember together, however fast it is sent to all of them", async () => {
    const spent = new Set<string>();
    const spendAnswer = async (id: string) => spent.size < spent.add(id).size;
    const replicas = [1, 2, 3].map(() => notesApp({ stateKey: "k".repeat(32), spendAnswer }));
    for (const { store } of replicas) store.notes.set("1", "of this replica");
    const urls = await Promise.all(replicas.map(async (notes) => (await serve({}, notes)).url));
    const state = stateOf(await post(urls[0] ?? "", ask));
    const answers = await Promise.all(urls.map((url) => post(url, answered(state))));
    expect(answers.filter(({ json }) => JSON.stringify(json).includes('"deleted":true'))).toHaveLength(1);
    expect(replicas.map(({ store }) => store.notes.size).sort()).toEqual([0, 1, 1]);
  });

  test("tampered with, or answered for another call, deletes nothing", async () => {
    const notes = notesApp();
    notes.store.notes.set("1", "mine").set("2", "also mine");
    const { url } = await serve({}, notes);
    const state = stateOf(await post(url, ask));
    const flipped = state.slice(0, -2) + (state.at(-2) === "A" ? "B" : "A") + state.slice(-1);
    expect(await post(url, answered(flipped))).toMatchObject({ json: { error: { code: -32602 } } });
    expect((await post(url, answered(state, "2"))).json).toMatchObject({
      result: { resultType: "input_required" },
    });
    expect((await post(url, answered(undefined))).json).toMatchObject({
      result: { resultType: "input_required" },
    });
    expect(notes.store.notes.size).toBe(2);
  });
});

describe("an answer of the person", () => {
  const asking = async (notes = notesApp()) => {
    notes.store.notes.set("1", "first");
    const { url } = await serve({}, notes);
    const call = (more: object, args: object = { id: "1" }) =>
      post(url, { method: "tools/call", params: { name: "delete_note", arguments: args, ...more } });
    const { requestState } = (await call({})).json.result as { requestState: string };
    const yes = {
      requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: "yes" } } },
    };
    return { call, yes, notes: notes.store.notes };
  };
  afterEach(() => void vi.useRealTimers());

  test("counts once: sent again, it deletes nothing and the person is asked", async () => {
    const { call, yes, notes } = await asking();
    expect((await call(yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
    notes.set("1", "a new one under the old id");
    expect((await call(yes)).json).toMatchObject({ result: { resultType: "input_required" } });
    expect(notes.size).toBe(1);
  });

  test("comes too late after five minutes", async () => {
    const { call, yes, notes } = await asking();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 302_000 });
    expect((await call(yes)).json).toMatchObject({ error: { code: -32602 } });
    expect(notes.size).toBe(1);
  });

  test("does not open the door to arguments that are too deep to digest", async () => {
    const { call, yes } = await asking();
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    expect((await call(yes, { id: "1", deep })).json).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: "invalid_input" } } },
    });
    expect((await call(yes)).json).toMatchObject({
      result: { structuredContent: { data: { deleted: true } } },
    });
  });
});
