import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  type GuardStorage,
  type ProtectedCall,
  protect,
  type Reading,
  type RecordedRequests,
  sendRecorded,
} from "../../src/guards/index.ts";
import type { ReadBack, Step } from "../../src/guards/internal.ts";
import { type Clock, defineErrors, ok, type SuccessNotes } from "../../src/index.ts";
import { defineProduct, oneStackApp, successEnvelope } from "../../src/internal.ts";
import { connect, FakeClock } from "../../src/testing/index.ts";
import { onBothEngines } from "./engines.ts";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    denied: { category: "policy", retryable: false, meaning: "It may not be done, or not now" },
    lost: { category: "server", retryable: true, meaning: "No answer came" },
    bug: { category: "server", retryable: false, meaning: "A bug" },
  },
  { badInput: "bad_input", duplicate: "denied", deadline: "lost", internal: "bug" },
);

const LATE_MS = 60_000;

interface Order {
  readonly id: number;
  readonly item: string;
}

/** Whether an order is carried out, and whether its answer arrives. */
type Weather = "fine" | "answer lost" | "never arrives" | "done, no answer" | "not done, no answer";

/** Takes orders over HTTP and lists them. */
async function openShop() {
  const orders: Order[] = [];
  const weather: Weather[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      shop.looks += 1;
      return shop.isShut ? request.socket.destroy() : response.end(JSON.stringify(orders));
    }
    const body = await text(request);
    const today = weather.shift() ?? "fine";
    server.emit("order");
    if (today === "not done, no answer") return;
    if (today === "never arrives") return request.socket.destroy();
    const { item } = JSON.parse(body) as { item: string };
    const order = { id: orders.length + 1, item };
    orders.push(order);
    if (today === "done, no answer") return;
    return today === "answer lost" ? request.socket.destroy() : response.end(JSON.stringify(order));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`;
  const shop = {
    url,
    orders,
    weather,
    /** Reading is rejected. */
    isShut: false,
    /** Number of reads. */
    looks: 0,
    nextOrder: () => once(server, "order"),
    hangUp: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return shop;
}

type Shop = Awaited<ReturnType<typeof openShop>>;

const effectOf = ({ state, answer_text }: Step) => ({
  makes: state === "confirmed" ? `order:${(JSON.parse(answer_text ?? "{}") as Order).id}` : null,
});

async function readBack(url: string, step: Step, { isTaken }: Reading): Promise<ReadBack> {
  const { item } = JSON.parse(step.body_json ?? "{}") as { item: string };
  const orders = (await (await fetch(url)).json()) as Order[];
  for (const order of orders)
    if (order.item === item && !(await isTaken(`order:${order.id}`))) return { found: "done", answer: order };
  return { found: "not_done" };
}

/** Each call is several requests, with reading back. */
function orderProduct({ url }: Shop, clock: Clock, guardStorage: GuardStorage) {
  const product = defineProduct<{
    services: { order: (item: string) => Promise<number | undefined> };
    notes: SuccessNotes;
    context: ProtectedCall;
  }>()({ errors, categories: ["shop"], profiles: ["all"], services: { order: "lost" } });
  const services = {
    order: ({ journal }: Partial<ProtectedCall>) =>
      ok(async (item: string) => {
        if (journal === undefined) throw new Error("There is no journal.");
        const bodyText = JSON.stringify({ item });
        const sent = await sendRecorded(
          journal,
          { method: "POST", target: "/orders", bodyText },
          async () => {
            const answer = await fetch(url, { method: "POST", body: bodyText });
            return { status: answer.status, text: await answer.text() };
          },
        );
        return sent.ok ? (JSON.parse(sent.value.text) as Order).id : undefined;
      }),
  };
  const buy = product.defineTool({
    name: "buy",
    title: "Buy",
    description: "Buy things, each as a separate order.",
    category: "shop",
    effect: "create",
    openWorld: true,
    profiles: ["all"],
    needs: ["order"],
    errors: ["lost"],
    input: z.strictObject({ items: z.array(z.string()).describe("What to buy, such as tea") }),
    output: z.object({ ids: z.array(z.number()) }),
    async handler({ items }, { order }) {
      const ids: number[] = [];
      for (const item of items) {
        const id = await order(item);
        if (id === undefined) return errors.fail("lost", `No answer came for ${item}.`);
        ids.push(id);
      }
      return ok({ ids });
    },
  });
  const recorded: RecordedRequests = {
    requests: ({ input }) => (input.items as readonly string[]).length,
    rules: { effectOf },
    readBack: (step, reading) => readBack(url, step, reading),
    service: "the shop",
    lateEffectMs: LATE_MS,
  };
  const stack = product
    .guardStack("all")
    .use(
      protect({
        errors,
        codes: { retry: "lost", refused: "denied" },
        approval: { needs: ({ input }) => String(input.items).includes("gold") },
        once: recorded,
      }),
    )
    .answering(successEnvelope(errors))
    .bind({ clock, guardStorage });
  return oneStackApp({
    name: "orders",
    version: "1.0.0",
    instructions: "",
    product,
    stack,
    services,
    tools: [buy],
    onBug: () => {},
  });
}

onBothEngines((engine) => {
  async function open(clock: Clock = new FakeClock()) {
    const place = await engine.place();
    const storage = await engine.open(place);
    const shop = await openShop();
    const server = await connect(orderProduct(shop, clock, storage));
    const buy = (...items: string[]) => server.call("buy", { items });
    return {
      place,
      storage,
      shop,
      buy,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await shop[Symbol.asyncDispose]();
      },
    };
  }

  test("a lost answer is found at the service, and the caller gets it as if nothing had happened", async () => {
    await using the = await open();
    const { shop, buy } = the;
    shop.weather.push("answer lost");
    expect(await buy("tea")).toMatchObject({ success: true, data: { ids: [1] } });
    expect(shop.orders).toHaveLength(1);
    // The answer was delivered, so the same call is a new one.
    expect(await buy("tea")).toMatchObject({ success: true, data: { ids: [2] } });
  });

  test("a call of several requests continues where it stopped", async () => {
    await using the = await open();
    const { shop, buy, storage } = the;
    shop.weather.push("fine", "answer lost");
    expect(await buy("tea", "milk", "cups")).toMatchObject({
      success: false,
      error: { code: "lost", details: { receipt: { state: "failed" } } },
    });
    expect(await buy("tea", "milk", "cups")).toMatchObject({ success: true, data: { ids: [1, 2, 3] } });
    expect(shop.orders.map(({ item }) => item)).toEqual(["tea", "milk", "cups"]);
    expect(await storage.openSteps()).toEqual([]);
  });

  test("what the service does not show is sent again only when it cannot be carried out any more", async () => {
    const clock = new FakeClock();
    await using the = await open(clock);
    const { shop, buy } = the;
    shop.weather.push("never arrives");
    expect(await buy("tea")).toMatchObject({
      error: { code: "lost", details: { receipt: { state: "unknown" } } },
    });
    expect(await buy("tea")).toMatchObject({
      error: {
        code: "lost",
        reason: "checking_outcome",
        retryable: true,
        message: expect.stringContaining("The shop does not show it yet"),
        retry_after_ms: LATE_MS,
      },
    });
    expect(shop.orders).toEqual([]);
    clock.advance(LATE_MS);
    expect(await buy("tea")).toMatchObject({ success: true, data: { ids: [1] } });
  });

  test("what another process left is settled by the next, and nothing that comes later changes it", async () => {
    // Its clock stands still, so it renews nothing, as if killed.
    await using the = await open();
    const { shop, buy, storage } = the;
    const left = async (weather: Weather, item: string) => {
      const sent = shop.nextOrder();
      shop.weather.push(weather);
      const answer = buy(item);
      await sent;
      return { answer };
    };
    const answers = [await left("done, no answer", "tea"), await left("not done, no answer", "cups")];
    const needs = { costMicros: 0, caps: {}, limits: [] };
    const milk = { tool: "buy", args: { items: ["milk"] }, needs, sameCallMs: 0, leaseMs: 20_000 };
    await storage.claim({ ...milk, receiptId: "milk", expectedSteps: 1, now: new FakeClock().now() });

    const clock = new FakeClock(new FakeClock().now() + 2 * LATE_MS);
    expect(await storage.abandoned(clock.now())).toHaveLength(3);
    await using server = await connect(orderProduct(shop, clock, storage));
    expect(await server.call("buy", { items: ["bread"] })).toMatchObject({ data: { ids: [2] } });
    expect(await storage.abandoned(clock.now())).toEqual([]);
    expect(await server.call("buy", { items: ["tea"] })).toMatchObject({ data: { ids: [1] } });
    expect(await server.call("buy", { items: ["milk"] })).toMatchObject({ data: { ids: [3] } });
    expect(await server.call("buy", { items: ["cups"] })).toMatchObject({ data: { ids: [4] } });
    shop.hangUp();
    for (const { answer } of answers) expect(await answer).toMatchObject({ error: { code: "lost" } });
    expect(await storage.abandoned(clock.now())).toEqual([]);
    expect(shop.orders).toHaveLength(4);
  });

  test("the outcome stays unknown while the service cannot be reached", async () => {
    await using the = await open();
    const { shop, buy } = the;
    shop.weather.push("answer lost");
    shop.isShut = true;
    expect(await buy("tea")).toMatchObject({ error: { details: { receipt: { state: "unknown" } } } });
    expect(await buy("tea")).toMatchObject({
      error: { reason: "checking_outcome", message: expect.stringContaining("The shop could not be asked") },
    });
    shop.isShut = false;
    expect(await buy("tea")).toMatchObject({ success: true, data: { ids: [1] } });
    expect(shop.orders).toHaveLength(1);
  });

  test("a service is not asked with every repeat of a call whose outcome is unknown", async () => {
    const clock = new FakeClock();
    await using the = await open(clock);
    const { shop, buy } = the;
    shop.weather.push("never arrives");
    await buy("tea");
    for (let second = 0; second < LATE_MS / 1_000 - 1; second++) {
      clock.advance(1_000);
      expect(await buy("tea")).toMatchObject({ error: { reason: "checking_outcome", retryable: true } });
    }
    expect(shop.looks).toBeLessThan(12);
    clock.advance(1_000);
    expect(await buy("tea")).toMatchObject({ success: true, data: { ids: [1] } });
  });

  test("the same call from another process, while its request is under way, is not sent", async () => {
    await using the = await open();
    const { place, shop, buy } = the;
    await using other = await connect(orderProduct(shop, new FakeClock(), await engine.open(place)));
    const sent = shop.nextOrder();
    shop.weather.push("done, no answer");
    const first = buy("tea");
    await sent;
    expect(await other.call("buy", { items: ["tea"] })).toMatchObject({ error: { reason: "running" } });
    shop.hangUp();
    expect(await first).toMatchObject({ success: true, data: { ids: [1] } });
    expect(shop.orders).toHaveLength(1);
  });

  test("a person settles what the service does not show, and the same call does only the rest", async () => {
    await using the = await open();
    const { shop, buy, storage } = the;
    shop.weather.push("fine", "never arrives");
    expect(await buy("tea", "milk")).toMatchObject({ error: { code: "lost" } });
    const now = new FakeClock().now();
    const [doubt] = await storage.inDoubt(now);
    expect(doubt).toMatchObject({ tool: "buy", args: { items: ["tea", "milk"] } });
    expect(await storage.resolve(doubt?.id ?? "", { isDone: false, by: "person", note: "looked" }, now)).toBe(
      true,
    );
    expect(await buy("tea", "milk")).toMatchObject({ success: true, data: { ids: [1, 2] } });
    expect(shop.orders.map(({ item }) => item)).toEqual(["tea", "milk"]);
    expect(await storage.receipt(doubt?.id ?? "")).toMatchObject({ state: "done", isDelivered: true });

    shop.weather.push("never arrives");
    expect(await buy("cups")).toMatchObject({ error: { code: "lost" } });
    const [other] = await storage.inDoubt(now);
    await storage.resolve(other?.id ?? "", { isDone: true, by: "person", note: "" }, now);
    expect(await buy("cups")).toMatchObject({ error: { reason: "answer_lost" } });
    expect(shop.orders).toHaveLength(2);
  });

  test("another caller's unknown outcome is neither returned to this caller nor repeated", async () => {
    const clock = new FakeClock();
    await using the = await open(clock);
    const { shop, buy, storage } = the;
    const needs = { costMicros: 0, caps: {}, limits: [] };
    const leave = (receiptId: string) =>
      storage.claim({
        ...{ tool: "buy", args: { items: ["gold"] }, principal: "somebody else" },
        ...{ receiptId, expectedSteps: 1, needs, sameCallMs: 0, leaseMs: 20_000, now: clock.now() },
      });
    await leave("first");
    clock.advance(20_000);
    // Never sent, so it is a new call that needs a decision.
    expect(await buy("gold")).toMatchObject({ error: { reason: "waiting" } });
    expect(await storage.receipt("first")).toMatchObject({ state: "not_done" });
    // Too soon to read again, so the outcome stays unknown.
    await leave("second");
    clock.advance(20_000);
    expect(await buy("gold")).toMatchObject({
      error: { reason: "unknown_outcome", details: { receipt_id: "second" } },
    });
    expect(shop.orders).toEqual([]);
  });

  test("what was undone may be done again, and only one call goes on from the same thing", async () => {
    await using the = await open();
    const { storage } = the;
    const clock = new FakeClock();
    const claim = (receiptId: string, item: string, expectedSteps = 1) =>
      storage.claim({
        receiptId,
        tool: "buy",
        args: { item },
        key: item,
        expectedSteps,
        needs: { costMicros: 0, caps: {}, limits: [] },
        sameCallMs: 0,
        leaseMs: 20_000,
        now: clock.now(),
      });
    const step = (receipt_id: string, more: Partial<Step>): Step => ({
      receipt_id,
      seq: 1,
      operation: null,
      method: "POST",
      target: "/",
      body_json: null,
      digest: receipt_id,
      state: "pending",
      sent_at: 0,
      effect_from: 0,
      effect_until: 0,
      settled_at: null,
      status: null,
      answer_text: null,
      makes: null,
      continues: null,
      ...more,
    });
    await claim("a", "tea");
    await storage.beginStep(step("a", { continues: "order:0" }), 1, clock.now() + 1);
    await claim("b", "milk");
    expect(await storage.beginStep(step("b", { continues: "order:0" }), 1, clock.now() + 1)).toEqual({
      continuedBy: "a",
    });
    expect(await storage.endStep(step("a", { state: "confirmed", makes: "order:1" }), undefined)).toBe(true);
    expect(await storage.beginStep(step("b", {}), 1, clock.now() + 1)).toBeUndefined();
    expect(await storage.endStep(step("b", { state: "confirmed", makes: "order:1" }), undefined)).toBe(false);
    await storage.finish({ receiptId: "a", attempt: 1, result: 1, now: clock.now() });
    expect(await claim("c", "tea")).toMatchObject({ failure: { earlier: { kind: "done" } } });
    expect(await storage.hasMade("order:1")).toBe(true);
    expect(await storage.endStep(step("b", { state: "confirmed" }), "order:1")).toBe(true);
    expect(await storage.hasMade("order:1")).toBe(false);
    expect(await claim("c", "tea")).toMatchObject({ ok: true });
    expect(await storage.takeOver({ id: "c", attempt: 1 }, clock.now() + 1)).toBe(true);
    expect(await storage.beginStep(step("c", {}), 1, clock.now() + 1)).toBe("taken_over");
    expect(await storage.takeOver({ id: "c", attempt: 1 }, clock.now() + 1)).toBe(false);
  });
});
