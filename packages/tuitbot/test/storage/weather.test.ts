import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Store } from "../../src/storage/store.ts";
import type { Envelope } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { type DrivenClock, drivenClock } from "./driven-clock.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

/** A slow X, wrong clocks and posts that look alike, all with the default settings. */

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const byPerson = { caller: { transport: "cli", client: "terminal" } } as const;

interface World {
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly clock: DrivenClock;
  readonly server: TestServer;
}

/** Resources that an account can create, of which X accepts a second one silently. */
interface Making {
  readonly tool: string;
  readonly operation: string;
  readonly args: (sandbox: Sandbox) => Record<string, string>;
  readonly count: (sandbox: Sandbox) => number;
}

const messages: Making = {
  tool: "x_v2_dm_send_to_participant",
  operation: "createDirectMessagesByParticipantId",
  args: (sandbox) => ({
    participant_id: sandbox.person(cast.friend).id,
    text: "Are you there?",
    idempotency_key: "one",
  }),
  count: ({ world }) => [...world.dmEvents.values()].filter(({ text }) => text === "Are you there?").length,
};

const lists: Making = {
  tool: "x_v2_lists_create",
  operation: "createLists",
  args: () => ({ name: "Bakers" }),
  count: ({ world }) => [...world.lists.values()].filter(({ name }) => name === "Bakers").length,
};

const makings: readonly Making[] = [
  messages,
  lists,
  {
    tool: "x_post_tweet",
    operation: "createPosts",
    args: () => ({ text: "Good morning" }),
    count: (sandbox) => postedBy(sandbox).length,
  },
];

onBothEngines("weather", (stores) => {
  /** `dated` gives the answers of X another date. */
  async function newWorld(aheadMs = 0, dated = (date: number) => date): Promise<World> {
    const sandbox = newSandbox();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await sandbox.fetch(input, init);
      const date = dated(Date.parse(answer.headers.get("date") ?? ""));
      answer.headers.set("date", new Date(date).toUTCString());
      return answer;
    };
    const store = await stores.open();
    onTestFinished(() => stores.close(store));
    const clock = drivenClock(sandbox, aheadMs);
    const server = serverOn(store, sandbox, {}, fetch, clock);
    // As every server does before its first mutation.
    await server.x.client.call("getUsersMe");
    return { sandbox, store, clock, server };
  }

  /** Makes the call, with time passing until it ends, and makes it again until it succeeds. */
  async function insist(world: World, { tool, args }: Making, everyMs: number): Promise<Envelope> {
    for (let tries = 0; tries < 60; tries++) {
      const answer = await ended(world, world.server.call(tool, args(world.sandbox), byPerson));
      if (answer.success) return answer;
      await world.clock.pass(everyMs);
    }
    throw new Error("The call never succeeded.");
  }

  for (const making of makings)
    test.each([
      { takes: 38, kind: "late" },
      { takes: 60, kind: "late" },
      { takes: 90, kind: "late" },
      { takes: 240, kind: "late" },
      { takes: 38, kind: "late_reset" },
      { takes: 240, kind: "late_reset" },
    ] as const)(
      `${making.tool} that X carries out $takes s later ($kind) is done once, however often it is asked for`,
      async ({ takes, kind }) => {
        const world = await newWorld();
        const { sandbox } = world;
        sandbox.faults.add({ operation: making.operation, kind, delayMs: takes * SECOND });
        // X allows 15 looks in 15 minutes.
        const answer = await insist(world, making, (takes < 100 ? 7 : 41) * SECOND);
        await world.clock.pass(HOUR);
        expect(making.count(sandbox)).toBe(1);
        expect(answer.meta).toMatchObject({ replayed: true });
      },
    );

  for (const making of makings)
    test.each([-3 * DAY, -HOUR, -5 * MINUTE, 3 * MINUTE, 2 * HOUR, 2 * DAY])(
      `${making.tool} whose answer is lost is found by a machine whose clock is %i ms ahead`,
      async (aheadMs) => {
        const world = await newWorld(aheadMs);
        world.sandbox.faults.add({ operation: making.operation, kind: "drop", when: "after" });
        // The first look sees nothing.
        for (const operation of [
          "getUsersPosts",
          "getUsersOwnedLists",
          "getDirectMessagesEventsByParticipantId",
        ])
          world.sandbox.faults.add({ operation, kind: "error" });
        await insist(world, making, 2 * MINUTE);
        await world.clock.pass(HOUR);
        expect(making.count(world.sandbox)).toBe(1);
      },
    );

  for (const making of makings)
    test.each([-2 * DAY, -HOUR, HOUR, 2 * DAY])(
      `${making.tool} is done once when the clock jumps by %i ms while X is asked`,
      async (jumpMs) => {
        const world = await newWorld();
        const { sandbox, clock } = world;
        sandbox.faults.add({ operation: making.operation, kind: "late", delayMs: 60 * SECOND });
        const calling = ended(world, world.server.call(making.tool, making.args(sandbox), byPerson));
        clock.jump(jumpMs);
        expect((await calling).success).toBe(false);
        clock.jump(-3 * jumpMs);
        await insist(world, making, 41 * SECOND);
        const step = await world.store.db.selectFrom("steps").selectAll().executeTakeFirstOrThrow();
        // Five minutes from when nobody listened any more, however the clock was set. If the call ended before
        // that was stored, from the end of its lease.
        const listenedMs = step.effect_until - step.sent_at - 5 * MINUTE;
        expect([TIMEOUT_MS, LEASE_MS]).toContain(listenedMs);
        await clock.pass(HOUR);
        expect(making.count(sandbox)).toBe(1);
      },
    );

  for (const making of makings)
    test.each([-10 * MINUTE, 10 * MINUTE])(
      `${making.tool} is done once when one answer of X is %i ms off`,
      async (wrongMs) => {
        // The process keeps its estimate of X's clock: one answer is enough to see the other engine.
        for (const wrongAt of stores.engine === "sqlite" ? [1, 2, 3, 4, 5] : [2]) {
          let answers = 0;
          const world = await newWorld(0, (date) => (++answers === wrongAt ? date + wrongMs : date));
          const { sandbox, clock } = world;
          sandbox.faults.add({ operation: making.operation, kind: "late_reset", delayMs: 2 * MINUTE });
          await insist(world, making, 20 * SECOND);
          await clock.pass(HOUR);
          expect(making.count(sandbox)).toBe(1);
          expect(answers).toBeGreaterThanOrEqual(wrongAt);
        }
      },
    );

  test.each([-HOUR, HOUR])(
    "a list is made once when the clock is twice %i ms off, and so is one answer of X by half of that",
    async (wrongMs) => {
      for (const wrongAt of [1, 2, 3]) {
        let answers = 0;
        const world = await newWorld(2 * wrongMs, (date) => (++answers === wrongAt ? date + wrongMs : date));
        const { sandbox, clock } = world;
        sandbox.faults.add({ operation: lists.operation, kind: "late_reset", delayMs: 2 * MINUTE });
        await insist(world, lists, 20 * SECOND);
        await clock.pass(HOUR);
        expect(lists.count(sandbox)).toBe(1);
      }
    },
  );

  describe("posts that look alike", () => {
    /** The answers to these calls are lost, and X shows nothing at first. */
    async function inDoubt(
      world: World,
      tool: string,
      calls: readonly Record<string, string>[],
      reaches: number[],
    ) {
      const { sandbox, server } = world;
      const looks = ["getUsersPosts", "getDirectMessagesEventsByParticipantId"];
      for (const [index, args] of calls.entries()) {
        const when = reaches.includes(index) ? "after" : "before";
        const operation = tool === "x_post_tweet" ? "createPosts" : "createDirectMessagesByParticipantId";
        sandbox.faults.add({ operation, kind: "drop", when });
        for (const look of looks) sandbox.faults.add({ operation: look, kind: "error", count: 9 });
        const answer = await server.call(tool, args, byPerson);
        expect(answer).toMatchObject({ error: { details: { receipt: { state: "unknown" } } } });
        sandbox.faults.clear();
      }
    }

    test("one to a friend is not taken for one to somebody else", async () => {
      const world = await newWorld();
      const { sandbox, clock, server } = world;
      const friendly = { text: "@friend thank you for the bread" };
      await inDoubt(world, "x_post_tweet", [{ text: "@unknown thank you for the bread" }, friendly], [0]);
      await clock.pass(6 * MINUTE);
      // It is made now, and was not before.
      const answer = await server.call("x_post_tweet", friendly, byPerson);
      expect(answer.meta).not.toHaveProperty("replayed");
      expect(answer).toMatchObject({ success: true, data: { text: friendly.text } });
      expect(postedBy(sandbox)).toHaveLength(2);
    });

    const message = (sandbox: Sandbox, key: string) => ({
      participant_id: sandbox.person(cast.friend).id,
      text: "Are you there?",
      idempotency_key: key,
    });
    const send = "x_v2_dm_send_to_participant";
    const sent = (sandbox: Sandbox) => sandbox.journal.of("createDirectMessagesByParticipantId").length;

    test("one message that X shows settles one of two receipts, also when both are settled at once", async () => {
      const world = await newWorld();
      const { sandbox, clock, store, server } = world;
      const calls = [message(sandbox, "a"), message(sandbox, "b")];
      await inDoubt(world, send, calls, [1]);
      await clock.pass(6 * MINUTE);
      const other = serverOn(store, sandbox, {}, sandbox.fetch, clock);
      await Promise.all([
        server.call(send, message(sandbox, "a"), byPerson),
        other.call(send, message(sandbox, "b"), byPerson),
      ]);
      for (const key of ["a", "b"])
        await insist(world, { ...messages, args: () => message(sandbox, key) }, MINUTE);
      expect(messages.count(sandbox)).toBe(2);
      expect(sent(sandbox)).toBe(3);
      const made = await store.db
        .selectFrom("steps")
        .select("makes")
        .where("makes", "is not", null)
        .execute();
      expect(new Set(made.map(({ makes }) => makes)).size).toBe(2);
    });

    test("two messages that X shows for one receipt are a doubt for a person, and nothing is sent", async () => {
      const world = await newWorld();
      const { sandbox, clock, server } = world;
      await inDoubt(world, send, [message(sandbox, "a")], [0]);
      // The person has sent the same by hand.
      const [event] = [...sandbox.world.dmEvents.values()].filter(({ text }) => text === "Are you there?");
      if (event === undefined) throw new Error("The message did not reach X.");
      const id = sandbox.world.idAt(sandbox.clock.now());
      const conversation = sandbox.world.conversations.get(event.conversationId);
      if (conversation === undefined) throw new Error("The message is in no conversation.");
      sandbox.world.addDm({ ...event, id }, conversation);
      await clock.pass(6 * MINUTE);
      expect(await server.call(send, message(sandbox, "a"), byPerson)).toMatchObject({
        error: { reason: "outcome_unknown", message: expect.stringContaining("several") },
      });
      expect(sent(sandbox)).toBe(1);
    });
  });

  /** Lets the time of a request pass that X leaves without an answer. */
  async function ended<T>({ clock, sandbox }: World, call: Promise<T>): Promise<T> {
    const unanswered = () => sandbox.journal.entries.filter(({ fault }) => fault === "late").length;
    const before = unanswered();
    let isOver = false;
    const over = call.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    while (!isOver && unanswered() === before) await new Promise(setImmediate);
    if (!isOver) await clock.pass(TIMEOUT_MS);
    return over;
  }
});

/** As in the default settings. */
const TIMEOUT_MS = 30_000;
const LEASE_MS = TIMEOUT_MS + 15 * SECOND;
