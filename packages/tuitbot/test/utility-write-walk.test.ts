import { EFFECTS } from "@toolpact/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusesRepeats } from "../src/guards/call/tool-facts.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { primaryOperation } from "./calls/operations.ts";
import { type LiveStage, openStage } from "./live-stage.ts";
import { toolCalls } from "./tool-calls.ts";
import { type WatchedCalls, watchedCalls } from "./watched-calls.ts";

const changing = catalogFor("utility-write").tools.filter(
  (tool) => tool.effects.some((effect) => EFFECTS[effect].mutates) && primaryOperation(tool) !== undefined,
);
const named = changing.map((tool) => ({ name: tool.name, tool }));

describe("after a 503, every tool of utility-write that changes something", () => {
  let stage: LiveStage;
  let calls: WatchedCalls;
  beforeAll(async () => {
    stage = await openStage("utility-write");
    calls = watchedCalls("utility-write", stage);
  });
  afterAll(() => stage?.close());

  test.each(named.flatMap((one) => (["before", "after"] as const).map((when) => ({ ...one, when }))))(
    "$name $when X acted: the agent has a way to go on, and both answers agree",
    async ({ tool, when }) => {
      stage.sandbox.clock.advance(16 * 60_000);
      const operation = primaryOperation(tool) ?? expect.fail();
      const { idempotency_key: _, ...args } = await calls.freshArgsOf(tool);
      const asked = () => stage.sandbox.journal.of(operation).length;
      stage.sandbox.faults.add({ operation, kind: "error", status: 503, when });
      const { error } = await calls.call(tool, args);
      expect(error, JSON.stringify(error)).toMatchObject({
        fix_by: "agent",
        details: { may_have_taken_effect: true },
      });
      const before = asked();
      const again = await calls.call(tool, args);
      if (!refusesRepeats(tool)) {
        expect(error?.suggested_fix).toContain("doing it twice does no harm");
        expect(asked(), JSON.stringify(again)).toBeGreaterThan(before);
        return;
      }
      expect(asked()).toBe(before);
      expect(again.error).toMatchObject({
        code: "validation_error",
        reason: "outcome_unknown",
        fix_by: "agent",
        suggested_fix: expect.stringContaining("call again with a new idempotency_key"),
      });
      if (error?.code !== "thread_partial_failure")
        expect(error?.suggested_fix).toContain("call again with a new idempotency_key");
      await calls.call(tool, { ...args, idempotency_key: `${tool.name} ${when} again` });
      expect(asked()).toBeGreaterThan(before);
    },
  );
});

test("the same upload twice in a second is uploaded twice, as in write", async () => {
  for (const profile of ["utility-write", "write"] as const) {
    const stage = await openStage(profile);
    const args = (await toolCalls.x_upload_media?.args(stage)) ?? {};
    for (let times = 0; times < 2; times++)
      expect(await stage.call("x_upload_media", args), profile).toMatchObject({ success: true });
    await stage.close();
  }
});
