import { ok } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { tick } from "../../src/autopilot/tick.ts";
import type { Llm } from "../../src/writing/llm.ts";
import { standIn } from "../../src/writing/stand-in.ts";
import type { Desk } from "./desk.ts";
import { bread, loopSetting, never, openBakery, pass, passWith, postsOf } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

describe("content", () => {
  test("is written when it is due, sent or queued, and not before the last one is old enough", async () => {
    desk = await openBakery();
    expect(await pass(desk, "content")).toMatchObject({ content: { counts: { sent: 1 } } });
    expect(await pass(desk, "content")).toMatchObject({
      content: { status: "skipped", reason: "nothing is due" },
    });
    desk.sandbox.clock.advance(3 * 3_600_000);
    expect(await pass(desk, "content")).toMatchObject({ content: { counts: { sent: 1 } } });
    expect(await pass(desk, "threads")).toMatchObject({ threads: { counts: { sent: 1 } } });
    expect(await pass(desk, "threads")).toMatchObject({ threads: { status: "skipped" } });
    await desk.close();

    desk = await openBakery({ config: { approval_mode: true } });
    expect(await pass(desk, "content", "threads")).toMatchObject({
      content: { counts: { queued: 1 } },
      threads: { counts: { queued: 1 } },
    });
    desk.sandbox.clock.advance(3 * 3_600_000);
    expect(await pass(desk, "content")).toMatchObject({ content: { status: "skipped" } });
    expect(postsOf(desk)).toEqual([]);
  });

  test("has no link, since nobody is there to say yes to its price", async () => {
    const business = { ...bread, product_name: "Crumb", product_url: "https://crumb.example.com" };
    desk = await openBakery({ config: { business } });
    await pass(desk, "mentions");
    desk.sandbox.say(cast.friend, `@${cast.owner} how do you keep notes?`);
    desk.sandbox.clock.advance(60_000);
    const setting = { ...loopSetting(desk), random: () => 0 };
    const plain = standIn();
    const llm: Llm = {
      ...plain,
      async write(assignment, signal) {
        const { product_url } = assignment.business;
        const written = await plain.write(assignment, signal);
        return product_url === undefined || !written.ok
          ? written
          : ok({ ...written.value, text: `Notes on dough: ${product_url}` });
      },
    };
    const workflow = { ...setting.workflow, llm: async () => ok(llm) };
    const wish = { loops: ["mentions", "content"], isDryRun: false, ignoresSchedule: false } as const;
    const ticked = await tick({ ...setting, workflow }, wish, never);
    expect(ticked.ok && Object.fromEntries(ticked.value.loops)).toMatchObject({
      mentions: { counts: { sent: 1, refused: 0 } },
      content: { counts: { sent: 1 } },
    });
  });

  test("is written again once nobody has decided about the last one in time", async () => {
    desk = await openBakery({ config: { approval_mode: true } });
    await pass(desk, "content");
    desk.sandbox.clock.advance(desk.config.approvals.expires_hours * 3_600_000);
    expect(await passWith(desk, { loops: ["content"], isDryRun: true })).toMatchObject({
      content: { counts: { due: 1 } },
    });
    expect(await pass(desk, "content")).toMatchObject({ content: { counts: { queued: 1 } } });
  });

  test("is not written anew while nobody knows whether the last one is out", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "drop", when: "after" });
    desk.sandbox.faults.add({ operation: "getUsersPosts", kind: "error", status: 403, count: 20 });
    await pass(desk, "content");
    expect(await pass(desk, "content")).toMatchObject({
      content: { status: "skipped", reason: "nothing is due" },
    });
    desk.sandbox.faults.clear();
    desk.sandbox.clock.advance(2 * 60_000);
    expect(await pass(desk, "scheduled", "content")).toMatchObject({ scheduled: { counts: { posted: 1 } } });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("that was not sent leaves nothing to be sent later", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited" });
    expect(await pass(desk, "content")).toMatchObject({ content: { status: "failed" } });
    desk.sandbox.clock.advance(3_600_000);
    expect(await pass(desk, "scheduled", "content")).toMatchObject({
      scheduled: { counts: { posted: 0 } },
      content: { counts: { sent: 1 } },
    });
    expect(postsOf(desk)).toHaveLength(1);
  });

  test("goes on with a thread that was cut", async () => {
    desk = await openBakery();
    desk.sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 });
    await pass(desk, "threads");
    const cut = postsOf(desk);
    expect(cut).toHaveLength(2);
    desk.sandbox.clock.advance(3_600_000);
    expect(await pass(desk, "scheduled", "threads")).toMatchObject({
      scheduled: { counts: { posted: 1 } },
      threads: { status: "skipped", reason: "nothing is due" },
    });
    const [first, ...rest] = postsOf(desk);
    expect(rest.length).toBeGreaterThan(2);
    expect(rest.map(({ replyTo }) => replyTo?.postId)).toEqual(
      postsOf(desk)
        .slice(0, -1)
        .map(({ id }) => id),
    );
    expect(first?.id).toBe(cut[0]?.id);
  });
});
