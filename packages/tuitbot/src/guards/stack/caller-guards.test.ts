import { type Caller, ok } from "@toolpact/contract";
import type { WaitingCalls } from "@toolpact/contract/internal/guards";
import { expect, test } from "vitest";
import { queuedAnswer } from "../approval/ask-for-approval.ts";
import { decisions } from "./caller-guards.ts";

test("a program that calls itself otherwise with every call does not fill the memory", async () => {
  const waitingCalls: WaitingCalls = new Map();
  const answer = queuedAnswer({
    id: 1,
    tool: "x_post_tweet",
    expiresAt: 0,
    estimatedUsd: 0,
    ruleId: "all",
    reason: "",
  });
  async function call(client: string): Promise<void> {
    const caller: Caller = { transport: "http", client };
    // Without waiting items, the guard reads no more than this.
    const made = { caller, context: { account: {} }, annotate: () => {} } as unknown as Parameters<
      typeof decisions.run
    >[0];
    await decisions.run(made, async () => ok(answer), { waitingCalls });
  }
  for (let number = 0; number < 1_200; number++) await call(`client ${number}`);
  expect(waitingCalls.size).toBe(1_000);
  const names = [...waitingCalls.keys()].join();
  expect(names).toContain('"client 1199"');
  expect(names).not.toContain('"client 199"');
  expect(names).toContain('"client 200"');
});
