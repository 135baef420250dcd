import { cast } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queuedItem } from "../live-server.ts";
import { postedBy } from "../storage/world.ts";
import { connectAgent, type Fleet, startFleet } from "./fleet.ts";
import { startAgents } from "./rolling.ts";
import { runnerHolder, schedule, startRunner } from "./runners.ts";

/** The short form of `npm run trial:replicas`: replicas as an operator would run them, behind a proxy. */

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet(2, {
    TUITBOT_SERVER__DRAIN_DELAY_SECONDS: "2",
    TUITBOT_SERVER__METRICS_TOKEN: "for-figures-only",
    TUITBOT_LOGGING__FORMAT: "json",
    TUITBOT_APPROVALS__KEY: "0123456789abcdef".repeat(4),
    TUITBOT_APPROVALS__KEY_FILE: "/nowhere/approval.key",
    TUITBOT_INTERVALS__RUNNER_LEASE_SECONDS: "3",
  });
  // A slow post is still in progress when its replica is stopped.
  fleet.sandbox.faults.add({ operation: "createPosts", kind: "slow", count: 100_000, delayMs: 40 });
}, 120_000);

afterAll(() => fleet.stop(), 60_000);

test("a rolling restart breaks no call, and posts nothing twice", async () => {
  const { counts, reached, ended } = await startAgents(fleet, 4, 60, 0.3);
  for (const [index, replica] of fleet.replicas.entries()) {
    await reached(15 + 20 * index);
    expect(await replica.stop("SIGTERM")).toBe(0);
    await replica.start();
    await fleet.proxy.noticed(replica.port);
  }
  await ended;
  expect(counts).toMatchObject({ calls: 60, done: 60, broken: [], refused: {} });
  expect(
    postedBy(fleet.sandbox)
      .map(({ text }) => text)
      .sort(),
  ).toEqual([...counts.posted].sort());
});

test("a person's answer reaches any replica, also on machines that share no file", async () => {
  const agent = await connectAgent(fleet.proxy.url, "asking");
  const owner = fleet.sandbox.person(cast.owner).id;
  const others = [...fleet.sandbox.world.people.keys()].filter((id) => id !== owner);
  // Every request goes to the next replica, so the answer does not reach the one that asked.
  for (const target_user_id of others.slice(0, 2)) {
    const waiting = await agent.call("x_follow_user", { target_user_id });
    const id = "data" in waiting ? queuedItem(waiting) : undefined;
    expect(await agent.call("approve_item", { id }), JSON.stringify(waiting)).toMatchObject({
      success: true,
      data: { status: "approved" },
    });
  }
  await agent.close();
});

test("replicas outlive a killed PostgreSQL: they answer db_error, are not ready, and recover", async () => {
  const agents = await Promise.all(
    fleet.replicas.map(({ port }) => connectAgent(`http://127.0.0.1:${port}/mcp`, "direct")),
  );
  const texts = agents.flatMap((_, index) => [`cut ${index} a`, `cut ${index} b`]);
  const post = (text: string, index: number) =>
    agents[index % agents.length]?.call("x_post_tweet", { text, idempotency_key: text });
  const calls = texts.map(post);
  await fleet.postgres.crash();
  for (const answer of await Promise.all(calls))
    expect(answer).toSatisfy(
      ({ success, error }) => success === true || ["db_error", "validation_error"].includes(error?.code),
    );
  expect(fleet.replicas.map(({ isAlive }) => isAlive())).toEqual(fleet.replicas.map(() => true));
  for (const [index, agent] of agents.entries()) {
    await expect.poll(() => agent.call("list_drafts"), { timeout: 20_000 }).toMatchObject({ success: true });
    const { port } = fleet.replicas[index] ?? { port: 0 };
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status, { timeout: 20_000 })
      .toBe(200);
    await agent.close();
  }
  const out = postedBy(fleet.sandbox).map(({ text }) => text);
  expect(out).toEqual([...new Set(out)]);
});

test("a runner that is killed is followed by one that waited in silence, and nothing goes out twice", async () => {
  const first = startRunner(fleet);
  // After a pass it rests for more than the seconds that this takes.
  await expect.poll(first.passes, { timeout: 30_000 }).toBe(1);
  const holder = await runnerHolder(fleet);
  const second = startRunner(fleet);
  await expect.poll(second.said, { timeout: 30_000 }).toContain("takes over when that one ends");
  await schedule(fleet, "Due after the death");
  await first.kill();
  await expect
    .poll(() => postedBy(fleet.sandbox).filter(({ text }) => text === "Due after the death").length, {
      timeout: 30_000,
    })
    .toBe(1);
  // The dashboards of the replicas publish too, so the post may be out before the second runner takes over.
  await expect.poll(() => runnerHolder(fleet), { timeout: 60_000 }).not.toBe(holder);
  expect(second.said().trim().split("\n")).toHaveLength(1);
  await second.kill();
});

test("figures and the lines of calls are there for the operator, and hold no argument", async () => {
  const [replica] = fleet.replicas;
  const metrics = await fetch(`http://127.0.0.1:${replica?.port}/metrics`, {
    headers: { authorization: "Bearer for-figures-only" },
  });
  const text = await metrics.text();
  for (const line of [
    "tuitbot_database_up 1",
    /^tuitbot_runner_alive [01]$/m,
    /^tuitbot_database_connections \d+$/m,
  ])
    expect(text).toMatch(line);
  expect(text).toContain('mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call"');
  const lines = (replica?.said() ?? "")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const post = lines.find(({ tool }) => tool === "x_post_tweet");
  expect(post).toMatchObject({ event: "call", transport: "http", principal: "token" });
  expect(JSON.stringify(lines)).not.toContain("cut 0 a");
});
