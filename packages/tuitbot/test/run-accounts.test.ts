import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { testApp } from "./command-line.ts";
import { madeUpX } from "./made-up-x.ts";
import { postedBy } from "./storage/world.ts";

test("run works for all accounts: one whose X does not answer, and one without a sign-in, hold up no other", async () => {
  await using desk = testApp();
  await using slow = await madeUpX();
  await using quick = await madeUpX();
  const config = join(desk.home, "c.toml");
  const { TUITBOT_X_API__BASE_URL: url, TUITBOT_AUTH__CALLBACK_PORT: port } = quick.env;
  writeFileSync(
    config,
    [
      "approval_mode = false",
      "mcp_policy.require_approval_for = []",
      "[accounts.empty]",
      "[accounts.quick]",
      `x_api.base_url = "${url}"`,
      `auth.callback_port = ${port}`,
    ].join("\n"),
  );
  const run = (words: readonly string[], how: typeof slow.how) =>
    desk.run(["-c", config, ...words], { ...how, env: slow.env });
  const slowLogin = await run(["auth", "login"], slow.how);
  expect(slowLogin.out, slowLogin.err).toContain("Signed in as");
  const quickLogin = await run(["auth", "login", "--account", "quick"], quick.how);
  expect(quickLogin.out, quickLogin.err).toContain("Signed in as");
  const draft = { texts: ["From the quick one"], scheduled_for: new Date(Date.now() + 1_500).toISOString() };
  const made = await run(
    ["call", "create_draft", "--account", "quick", "--json", JSON.stringify(draft)],
    quick.how,
  );
  expect(made.code, made.err).toBe(0);

  slow.sandbox.faults.add({ operation: "*", kind: "hang", count: 1_000 });
  const stop = new AbortController();
  let said = "";
  const running = desk.run(["-c", config, "run", "--output", "json"], {
    env: slow.env,
    signal: stop.signal,
    onErr: (text) => (said += text),
    machine: { pause: (_ms, signal) => setTimeout(200, undefined, { signal }).catch(() => {}) },
  });
  await expect
    .poll(() => postedBy(quick.sandbox).map(({ text }) => text), { timeout: 30_000 })
    .toEqual(["From the quick one"]);
  stop.abort();
  slow.sandbox.faults.clear();
  const ran = await running;
  expect(said).toContain("empty  X has not said yet whose data this is.");
  const passes = ran.out.split("\n").flatMap((line) => /^\{"account":"(\w+)"/.exec(line)?.[1] ?? []);
  expect(new Set(passes)).toEqual(new Set(["quick"]));
  expect(ran.code).toBe(0);
  expect(ran.out).toContain('"stopped": true');
});
