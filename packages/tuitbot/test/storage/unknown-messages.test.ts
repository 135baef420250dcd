import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { expect, onTestFinished, test } from "vitest";
import { editItem } from "../../src/approval/edit.ts";
import type { QueuedMutation } from "../../src/approval/item.ts";
import { pendingItems } from "../../src/approval/queue.ts";
import { releaseItem, resumeReleases } from "../../src/approval/release.ts";
import { identityOf } from "../../src/guards/receipts/receipt.ts";
import type { Store } from "../../src/storage/store.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { type DrivenClock, drivenClock } from "./driven-clock.ts";
import { approvalKey, type ServerSetting, type TestServer } from "./server.ts";
import { newSandbox, serverOn } from "./world.ts";

/** Messages without a key that their callers were asked to send again. X shows messages 15 times in 15 minutes. */

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SEND = "x_v2_dm_send_to_participant";
const SENT = "createDirectMessagesByParticipantId";
const LOOK = "getDirectMessagesEventsByParticipantId";
const byPerson = { caller: { transport: "cli", client: "terminal" } } as const;
const asking = { config: { mcp_policy: { require_approval_for: [SEND] } } } as const;

interface World {
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly clock: DrivenClock;
  readonly server: TestServer;
  /** A second process on the same database. */
  readonly other: TestServer;
  /** Holds X's answer to the first server until `answer` is called. X has carried the request out by then. */
  readonly holdAnswer: () => { readonly arrived: Promise<void>; readonly answer: () => void };
  /** Runs when the first server has X's answer and is about to store it. */
  readonly onAnswer: (run: () => void) => void;
  /** Stops the first server for good when it has stored its next transaction. */
  readonly dieOnceStored: () => void;
}

onBothEngines("a message without a key", (stores) => {
  async function newWorld(setting: ServerSetting = {}): Promise<World> {
    const sandbox = newSandbox();
    const store = await stores.open();
    onTestFinished(() => stores.close(store));
    const clock = drivenClock(sandbox);
    let afterPost = async () => {};
    const fetch: typeof sandbox.fetch = async (...request) => {
      const response = await sandbox.fetch(...request);
      if (request[1]?.method === "POST") await afterPost();
      return response;
    };
    let beforeWriting = () => {};
    let afterWriting = async () => {};
    const watched: Store = Object.assign(Object.create(store), {
      transaction: async (...work: Parameters<Store["transaction"]>) => {
        beforeWriting();
        const written = await store.transaction(...work);
        await afterWriting();
        return written;
      },
    });
    const server = serverOn(watched, sandbox, setting, fetch, clock);
    const other = serverOn(store, sandbox, setting, sandbox.fetch, clock);
    await server.x.client.call("getUsersMe");
    await other.x.client.call("getUsersMe");
    return {
      sandbox,
      store,
      clock,
      server,
      other,
      holdAnswer() {
        const arrived = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        afterPost = () => {
          arrived.resolve();
          return held.promise;
        };
        return { arrived: arrived.promise, answer: held.resolve };
      },
      onAnswer(run) {
        afterPost = async () => {
          beforeWriting = run;
        };
      },
      dieOnceStored() {
        afterWriting = () => new Promise(() => {});
      },
    };
  }

  const message = (sandbox: Sandbox) => ({
    participant_id: sandbox.person(cast.friend).id,
    text: "Are you there?",
  });
  const sent = ({ world }: Sandbox) =>
    [...world.dmEvents.values()].filter(({ text }) => text === "Are you there?").length;

  test("is found within the looks that X allows, by two processes that ask every second", async () => {
    const { sandbox, clock, server, other } = await newWorld();
    sandbox.faults.add({ operation: SENT, kind: "late_reset", delayMs: 4 * MINUTE });
    let answer = await server.call(SEND, message(sandbox), byPerson);
    for (let second = 0; !answer.success && second < 420; second++) {
      await clock.pass(SECOND);
      answer = await (second % 2 === 0 ? other : server).call(SEND, message(sandbox), byPerson);
    }
    expect(answer).toMatchObject({ success: true, meta: { replayed: true } });
    const looks = sandbox.journal.of(LOOK);
    expect(looks.length).toBeLessThanOrEqual(15);
    expect(looks.filter(({ status }) => status === 429)).toEqual([]);
    expect(sent(sandbox)).toBe(1);
  });

  test("reports when X can be asked again if the looks are used up", async () => {
    const { sandbox, clock, server, other } = await newWorld();
    sandbox.faults.add({ operation: SENT, kind: "drop", when: "after" });
    sandbox.faults.add({ operation: LOOK, kind: "rate_limited" });
    const first = await server.call(SEND, message(sandbox), byPerson);
    expect(first).toMatchObject({ success: false, error: { details: { receipt: { state: "unknown" } } } });
    const advised = first.error?.retry_after_ms ?? 0;
    expect(advised).toBeGreaterThan(MINUTE);
    const looked = sandbox.journal.of(LOOK).length;
    // Nobody asks before then, and the advice stays the same time.
    await clock.pass(MINUTE);
    const second = await other.call(SEND, message(sandbox), byPerson);
    expect(second.error?.retry_after_ms).toBe(advised - MINUTE);
    expect(sandbox.journal.of(LOOK)).toHaveLength(looked);
    await clock.pass(advised - MINUTE);
    expect(await other.call(SEND, message(sandbox), byPerson)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(sent(sandbox)).toBe(1);
  });

  test("is not sent twice by a repeat that comes after another process has resolved it", async () => {
    const { sandbox, store, clock, server, other } = await newWorld(asking);
    const { account } = server.session;
    await server.call(SEND, message(sandbox));
    const [waiting] = await pendingItems(store.db, account, clock.now());
    sandbox.faults.add({ operation: SENT, kind: "drop", when: "after" });
    sandbox.faults.add({ operation: LOOK, kind: "error", count: 9 });
    expect(await approve(server, waiting)).toMatchObject({ ok: false });
    const refused = await server.call(SEND, message(sandbox));
    expect(refused).toMatchObject({ success: false, error: { code: "x_network_error" } });
    sandbox.faults.clear();
    await clock.pass(10 * MINUTE);
    expect(await resumeReleases(other.releasing)).toMatchObject([{ id: waiting?.id, status: "executed" }]);
    await clock.pass(HOUR);
    expect(await server.call(SEND, message(sandbox))).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(await pendingItems(store.db, account, clock.now())).toEqual([]);
    expect(sent(sandbox)).toBe(1);
  });

  test("is not sent twice if X refused it for now and another process has sent it", async () => {
    const { sandbox, store, clock, server, other } = await newWorld(asking);
    const { account } = server.session;
    await server.call(SEND, message(sandbox));
    const [waiting] = await pendingItems(store.db, account, clock.now());
    sandbox.faults.add({ operation: SENT, kind: "rate_limited" });
    expect(await approve(server, waiting)).toMatchObject({ ok: false, failure: { code: "x_rate_limited" } });
    await clock.pass(15 * MINUTE);
    expect(await approve(other, waiting)).toMatchObject({ ok: true });
    await clock.pass(HOUR);
    expect(await server.call(SEND, message(sandbox))).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(await pendingItems(store.db, account, clock.now())).toEqual([]);
    expect(sent(sandbox)).toBe(1);
  });

  test("is not sent twice by a caller that was asked to wait for the first call", async () => {
    const { sandbox, clock, server, other, holdAnswer } = await newWorld();
    const { arrived, answer } = holdAnswer();
    const first = server.call(SEND, message(sandbox), byPerson);
    await arrived;
    const second = await other.call(SEND, message(sandbox), byPerson);
    expect(second).toMatchObject({ success: false, error: { reason: "duplicate_request", retryable: true } });
    answer();
    expect(await first).toMatchObject({ success: true });
    await clock.pass(second.error?.retry_after_ms ?? 0);
    expect(await other.call(SEND, message(sandbox), byPerson)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(sent(sandbox)).toBe(1);
  });

  test("is not sent twice by a caller that left while X's answer was being stored", async () => {
    const { sandbox, clock, server, onAnswer } = await newWorld();
    const caller = new AbortController();
    onAnswer(() => caller.abort());
    await server.call(SEND, message(sandbox), { ...byPerson, signal: caller.signal });
    expect(caller.signal.aborted).toBe(true);
    await clock.pass(HOUR);
    expect(await server.call(SEND, message(sandbox), byPerson)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(sent(sandbox)).toBe(1);
  });

  test("is not sent twice by a caller that left, if the server dies once it has stored X's answer", async () => {
    const { sandbox, store, clock, server, other, onAnswer, dieOnceStored } = await newWorld();
    const caller = new AbortController();
    onAnswer(() => {
      caller.abort();
      dieOnceStored();
    });
    void server.call(SEND, message(sandbox), { ...byPerson, signal: caller.signal });
    const states = () => store.db.selectFrom("receipts").select("state").execute();
    await expect.poll(states).toEqual([{ state: "confirmed" }]);
    await clock.pass(HOUR);
    expect(await other.call(SEND, message(sandbox), byPerson)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    expect(sent(sandbox)).toBe(1);
  });

  test("shows the approver of an equal message when it was sent", async () => {
    const { sandbox, store, clock, server } = await newWorld(asking);
    const { account } = server.session;
    await server.call(SEND, { ...message(sandbox), idempotency_key: "a" });
    const [waiting] = await pendingItems(store.db, account, clock.now());
    expect(waiting?.reason).not.toContain("The same call");
    const sentAt = new Date(clock.now()).toISOString();
    expect(await approve(server, waiting)).toMatchObject({ ok: true });
    await clock.pass(HOUR);
    await server.call(SEND, { ...message(sandbox), idempotency_key: "b" });
    const [second] = await pendingItems(store.db, account, clock.now());
    expect(second?.reason).toContain(`The same call was carried out at ${sentAt}.`);
  });

  test.each([false, true])(
    "shows the approver of an equal message that the first was edited, and sent: %s",
    async (isSent) => {
      const { sandbox, store, clock, server } = await newWorld(asking);
      const { account } = server.session;
      await server.call(SEND, message(sandbox));
      const [first] = await pendingItems(store.db, account, clock.now());
      const args = { ...message(sandbox), text: "Are you at home?" };
      const edited = await editItem(store, approvalKey, {
        ...{ account, id: first?.id ?? 0, digest: first?.digest ?? "", args, media: [] },
        ...{ claim: identityOf(account, SEND, args).claim, estimatedMicros: 15_000 },
        ...{ editor: "terminal", now: clock.now() },
      });
      const sentAt = new Date(clock.now()).toISOString();
      if (isSent) await approve(server, edited.ok ? edited.value : undefined);
      await clock.pass(HOUR);
      await server.call(SEND, message(sandbox));
      const second = (await pendingItems(store.db, account, clock.now())).at(-1);
      expect(second?.args).toEqual(message(sandbox));
      expect(second?.reason).toContain(
        isSent
          ? `The same call was edited, and carried out as item ${first?.id} at ${sentAt}.`
          : `The same call was edited, and waits as item ${first?.id}.`,
      );
    },
  );
});

function approve({ releasing }: TestServer, item: QueuedMutation | undefined) {
  return releaseItem(releasing, item?.id ?? 0, { digest: item?.digest ?? "", by: "terminal" });
}
