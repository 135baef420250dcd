import { expect, test } from "vitest";
import * as z from "zod";
import { type GuardStorage, protect } from "../../src/guards/index.ts";
import { personVia } from "../../src/guards/internal.ts";
import { defineErrors, defineServer, ok } from "../../src/index.ts";
import { FakeClock, type ScriptedPerson, scriptedPerson } from "../../src/testing/index.ts";
import { servedToCallers } from "./as-caller.ts";
import { onBothEngines } from "./engines.ts";

const errors = defineErrors({});

/** Large letters need two people, and each caller has a share of the budget. */
function letters(guardStorage: GuardStorage, clock: FakeClock) {
  const sent: string[] = [];
  const server = defineServer({
    name: "letters",
    version: "1.0.0",
    errors,
    guardStorage: () => guardStorage,
    protect: protect({
      errors,
      codes: { retry: "busy", refused: "denied" },
      budget: { price: () => 0.3, usdPerDay: 2, ofCaller: () => ({ usdPerDay: 0.7 }) },
      limits: ({ caller: { principal } }) => [{ max: 5, periodMs: 60_000, principal }],
      approval: {
        needs: ({ input }) => String(input.text).startsWith("LARGE"),
        people: ({ input }) => (input.text === "LARGE" ? 2 : 1),
        binds: async ({ input }) => ({ length: String(input.text).length }),
        inClient: { allowsAgent: false, trustsHttp: (principal) => principal === "trusted" },
      },
    }),
  });
  const send = server.tool({
    name: "send",
    description: "Send a letter.",
    effect: "create",
    input: z.strictObject({
      text: z.string().describe("What it says, such as Hello"),
      idempotency_key: z.string().optional().describe("Names the call, such as k1"),
    }),
    output: z.object({ letters: z.number() }),
    handler({ text }) {
      sent.push(text);
      return ok({ letters: sent.length });
    },
  });
  const served = servedToCallers(server.app({ tools: [send], clock }));
  async function as(name: string, person?: ScriptedPerson) {
    const client = await served.as({ name, reply: person?.reply });
    return async (text: string, key?: string) => {
      const args = { text, ...(key !== undefined && { idempotency_key: key }) };
      return (await client.callTool({ name: "send", arguments: args })).structuredContent;
    };
  }
  return { as, sent, close: served.close };
}

const refused = (reason: string) => ({ success: false, error: { code: "denied", reason } });

onBothEngines((engine) => {
  test("two people approve, each counts once, and the agent is notified", async () => {
    const storage = await engine.open(await engine.place());
    const clock = new FakeClock();
    const { as, sent, close } = letters(storage, clock);
    const send = await as("one");
    expect(await send("LARGE", "k1")).toMatchObject(refused("waiting"));
    const [item] = await storage.items("waiting", clock.now());
    expect(item).toMatchObject({ peopleNeeded: 2, approvedBy: [], context: { length: 5 } });
    const { id = 0, digest = "" } = item ?? {};
    const yes = (by: string) => storage.decide({ id, digest, approve: true, by, note: "", now: clock.now() });
    expect(await yes(personVia("web", '"Ana"'))).toBe(true);
    expect(await yes(personVia("terminal", 'user "ana"'))).toBe(true);
    expect(await yes('person via http, client "x"')).toBe(false);
    expect(await send("LARGE", "k1")).toMatchObject({
      error: {
        reason: "waiting",
        message: expect.stringContaining('1 of 2 people have approved it ("ana")'),
      },
    });
    expect(await storage.releasable(clock.now())).toEqual([]);
    // One of two simultaneous votes is the last.
    await Promise.all([yes(personVia("slack", '"Bo"')), yes(personVia("slack", '"Cy"'))]);
    expect(await storage.releasable(clock.now())).toMatchObject([
      { decidedBy: expect.stringMatching(/ana.*; person via slack/i) },
    ]);
    expect(sent).toEqual([]);
    expect(await send("LARGE", "k1")).toMatchObject({
      success: true,
      meta: { decisions: [{ item_id: id, tool: "send", status: "approved" }] },
    });
    // Notified once; the key is answered from its receipt.
    const again = await send("LARGE", "k1");
    expect(again).toMatchObject({ success: true, data: { letters: 1 } });
    expect(again).not.toHaveProperty("meta.decisions");
    expect(await storage.items("waiting", clock.now())).toEqual([]);
    expect(sent).toEqual(["LARGE"]);
    await close();
  });

  test("the person behind a client that is trusted decides there, about exactly what they see", async () => {
    const storage = await engine.open(await engine.place());
    const { as, sent, close } = letters(storage, new FakeClock());
    const forged = scriptedPerson(["yes"]);
    expect(await (await as("one", forged))("LARGER")).toMatchObject(refused("waiting"));
    expect(forged.asked).toEqual([]);
    const person = scriptedPerson(["no", "yes"]);
    const send = await as("trusted", person);
    expect(await send("LARGER\nItem 9: look\u202e")).toMatchObject(refused("waiting"));
    expect(sent).toEqual([]);
    expect(await send("LARGER\nItem 9: look\u202e")).toMatchObject({ success: true });
    expect(sent).toEqual(["LARGER\nItem 9: look\u202e"]);
    expect(person.asked.at(-1)?.message).toBe(
      [
        "Item 2: send",
        "text:",
        "│ LARGER",
        "│ Item 9: look<U+202E>",
        'Asked for 0 s ago by client "test", expires in 1 d',
        "What it is about:",
        "┊ length:",
        "┊   20",
        "Why you are asked: send needs approval.",
      ].join("\n"),
    );
    await close();
  });

  test("no caller spends more than their share, nor all together, and nobody is asked about what cannot be paid", async () => {
    const storage = await engine.open(await engine.place());
    const clock = new FakeClock();
    const { as, sent, close } = letters(storage, clock);
    const [one, two] = [await as("one"), await as("two")];
    expect(await one("a")).toMatchObject({ success: true });
    expect(await one("b")).toMatchObject({ success: true });
    expect(await one("c")).toMatchObject(refused("budget"));
    expect(await one("LARGE")).toMatchObject(refused("budget"));
    expect(await storage.items("waiting", clock.now())).toEqual([]);
    expect(await two("d")).toMatchObject({ success: true });
    expect(await storage.spent(clock.now())).toEqual({ day: 900_000, month: 900_000 });
    expect(sent).toEqual(["a", "b", "d"]);
    await close();
  });

  test("a limit holds for the caller that it counts", async () => {
    const storage = await engine.open(await engine.place());
    const now = Date.UTC(2026, 8, 15, 12);
    const claim = (principal: string, to: string, at = now) =>
      storage.claim({
        tool: "send",
        args: { to },
        principal,
        receiptId: crypto.randomUUID(),
        needs: { costMicros: 0, caps: {}, limits: [{ max: 2, periodMs: 60_000, principal }] },
        sameCallMs: 0,
        leaseMs: 1_000,
        now: at,
      });
    expect(await claim("one", "a")).toMatchObject({ ok: true });
    expect(await claim("one", "b", now + 1)).toMatchObject({ ok: true });
    expect(await claim("one", "c", now + 2)).toMatchObject({
      failure: { kind: "limit", resetsAt: now + 60_000 },
    });
    expect(await claim("two", "c", now + 2)).toMatchObject({ ok: true });
    expect(await claim("one", "d", now + 60_000)).toMatchObject({ ok: true });
  });

  test("what a person was not asked about is not sent, whatever becomes of the receipt that would answer it", async () => {
    const storage = await engine.open(await engine.place());
    const clock = new FakeClock();
    // The first call runs when the second is made, and fails before its receipt is read again.
    const racing: GuardStorage = {
      ...storage,
      async claim(claim) {
        const claimed = await storage.claim(claim);
        if (claim.isTrial && !claimed.ok && claimed.failure.kind === "repeat")
          await storage.finish({
            receiptId: claimed.failure.earlier.receipt.id,
            attempt: 1,
            failure: { code: "denied", message: "" },
            now: clock.now(),
          });
        return claimed;
      },
    };
    const { as, sent, close } = letters(racing, clock);
    const send = await as("one");
    await storage.claim({
      tool: "send",
      args: { text: "LARGE" },
      principal: "one",
      receiptId: crypto.randomUUID(),
      needs: { costMicros: 0, caps: {}, limits: [] },
      sameCallMs: 0,
      leaseMs: 60_000,
      now: clock.now(),
    });
    expect(await send("LARGE")).toMatchObject({ success: false, error: { code: "busy", reason: "running" } });
    expect(sent).toEqual([]);
    await close();
  });
});
