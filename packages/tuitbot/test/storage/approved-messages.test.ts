import { cast, type FaultKind, type Sandbox } from "@toolpact/x-sandbox";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findItem } from "../../src/approval/queue.ts";
import { type ReleaseContext, releaseItem, resumeReleases } from "../../src/approval/release.ts";
import type { Store } from "../../src/storage/store.ts";
import { type Envelope, queuedItem } from "../live-server.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { drivenClock } from "./driven-clock.ts";
import type { TestServer } from "./server.ts";
import { newSandbox, serverOn } from "./world.ts";

/** One message without a key that needs approval, within a day. Its processes die at any transaction or request. */

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SEND = "x_v2_dm_send_to_participant";
const SENT = "createDirectMessagesByParticipantId";
const LOOK = "getDirectMessagesEventsByParticipantId";
const TEXT = "Are you there?";
const asking = { config: { mcp_policy: { require_approval_for: [SEND] } } } as const;

const act = fc.record({
  act: fc.constantFrom("call", "approve", "call and approve", "resume", "settle"),
  /** The moment at which its process dies. */
  dies: fc.option(fc.nat(12)),
});

const step = fc.record({
  /** Two processes, at once. */
  acts: fc.tuple(fc.option(act), fc.option(act)),
  fault: fc.option(
    fc.record({
      kind: fc.constantFrom<FaultKind>("drop", "reset", "error", "html", "rate_limited"),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  ),
  /** X does not show its messages. */
  isBlind: fc.boolean(),
  /** Somebody sets the clock of the machine. */
  jump: fc.constantFrom(0, 0, 0, 2 * HOUR, -2 * HOUR, 72 * HOUR),
  wait: fc.constantFrom(0, SECOND, 31 * SECOND, MINUTE, 6 * MINUTE, 20 * MINUTE),
});

onBothEngines("an approved message without a key", (stores) => {
  test("is sent once, however often it is called, approved and resumed by processes that die", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const store = await stores.open();
        const sandbox = newSandbox();
        const { clock, doAt, insist } = office(store, sandbox);
        for (const { acts, wait, jump, fault, isBlind } of steps) {
          sandbox.faults.clear();
          if (fault !== null) sandbox.faults.add({ operation: SENT, ...fault });
          if (isBlind) sandbox.faults.add({ operation: LOOK, kind: "error", count: 9 });
          clock.jump(jump);
          await Promise.all(acts.map((one, process) => one && doAt(process, one)));
          expect(sentBy(sandbox)).toBeLessThanOrEqual(1);
          await clock.pass(wait);
        }
        sandbox.faults.clear();
        await insist();
        await clock.pass(HOUR);
        await insist();
        expect(sentBy(sandbox)).toBe(1);
        await stores.close(store);
      }),
      { numRuns: stores.engine === "sqlite" ? 150 : 15 },
    );
  }, 600_000);
});

function sentBy({ world }: Sandbox): number {
  return [...world.dmEvents.values()].filter(({ text }) => text === TEXT).length;
}

interface Act {
  readonly act: "call" | "approve" | "call and approve" | "resume" | "settle";
  readonly dies: number | null;
}

/** Two processes on one database, an agent that repeats its call, and a person who approves whatever waits. */
function office(store: Store, sandbox: Sandbox) {
  const clock = drivenClock(sandbox);
  const processes = new Map<number, Mortal>();
  async function processAt(index: number): Promise<Mortal> {
    const known = processes.get(index);
    if (known !== undefined) return known;
    const process = mortal();
    processes.set(index, process);
    // As every server does before its first mutation.
    await process.server.x.client.call("getUsersMe");
    return process;
  }

  function mortal(): Mortal {
    const died = Promise.withResolvers<void>();
    let left = Number.POSITIVE_INFINITY;
    const moment = async () => {
      left -= 1;
      if (left >= 0) return;
      died.resolve();
      await new Promise(() => {});
    };
    const around =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await moment();
        const result = await run(...args);
        await moment();
        return result;
      };
    const watched: Store = Object.assign(Object.create(store), {
      transaction: around(store.transaction) as Store["transaction"],
      durableTransaction: around(store.durableTransaction) as Store["durableTransaction"],
    });
    const server = serverOn(watched, sandbox, asking, around(sandbox.fetch), clock);
    return {
      server,
      releasing: { ...server.releasing, now: () => sandbox.clock.now() },
      died: died.promise,
      dieAt: (number) => {
        left = number;
      },
    };
  }

  const call = ({ server }: Mortal): Promise<Envelope> =>
    server.call(SEND, { participant_id: sandbox.person(cast.friend).id, text: TEXT });

  async function approve({ releasing }: Mortal): Promise<void> {
    const { account } = releasing;
    for (const { id } of await store.db
      .selectFrom("approvals")
      .select("id")
      .where("account", "=", account)
      .execute()) {
      const item = await findItem(store.db, account, id);
      if (item.ok) await releaseItem(releasing, id, { digest: item.value.digest, by: "terminal" });
    }
  }

  const acts: Record<Act["act"], (process: Mortal) => Promise<unknown>> = {
    call,
    approve,
    "call and approve": async (process) => {
      await call(process);
      await approve(process);
    },
    resume: ({ releasing }) => resumeReleases(releasing),
    settle: ({ server }) => server.settle(),
  };

  return {
    clock,
    async doAt(index: number, { act, dies }: Act): Promise<void> {
      const process = await processAt(index);
      process.dieAt(dies ?? Number.POSITIVE_INFINITY);
      const isDead = await Promise.race([
        acts[act](process).then(() => false),
        process.died.then(() => true),
      ]);
      if (isDead) processes.delete(index);
    },
    /** Calls and approves until the message is reported as sent. */
    async insist(): Promise<void> {
      const process = await processAt(0);
      process.dieAt(Number.POSITIVE_INFINITY);
      for (let tries = 0; tries < 20; tries++) {
        const answer = await call(process);
        if (answer.success && queuedItem(answer) === undefined) return;
        await approve(process);
        await resumeReleases(process.releasing);
        await clock.pass(6 * MINUTE);
      }
      throw new Error("The message was never reported as sent.");
    },
  };
}

/** A process that dies at a given moment: nothing that it has begun goes on. */
interface Mortal {
  readonly server: TestServer;
  /** By X's time, as in a real server. */
  readonly releasing: ReleaseContext;
  readonly died: Promise<void>;
  /** Dies before or after the transaction or request with this number, from now. */
  readonly dieAt: (moment: number) => void;
}
