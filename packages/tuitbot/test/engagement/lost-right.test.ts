import { afterEach, expect, test } from "vitest";
import { approvalsFor } from "../../src/app/approvals.ts";
import { approveMany } from "../../src/app/passkey-approval.ts";
import { findItem } from "../../src/approval/queue.ts";
import { queuedItem } from "../live-server.ts";
import { type Desk, openDesk } from "./desk.ts";

let desk: Desk;
afterEach(() => desk.close());

const never = new AbortController().signal;

async function waiting(text: string) {
  const id = queuedItem(await desk.call("x_post_tweet", { text })) ?? expect.fail("It was not queued.");
  return stored(id);
}

async function stored(id: number) {
  const { store, account } = desk.services.db;
  const found = await findItem(store.db, account, id);
  return found.ok ? found.value : expect.fail(found.failure.message);
}

test("a person who may no longer decide neither approves, rejects, edits nor resolves, and nothing is sent", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  const item = await waiting("Waits.");
  const decisions = approvalsFor(desk.services, {
    by: 'person via web, "Ann"',
    mayDecide: async () => false,
    signal: never,
  });
  const tried = [
    await decisions.approve(item),
    await decisions.reject(item, undefined),
    await decisions.edit(item, { text: "Something else." }),
    await decisions.settle(item.id, true),
  ];
  for (const one of tried)
    expect(one).toMatchObject({ ok: false, failure: { code: "policy_denied_hard_rule" } });
  expect(await stored(item.id)).toMatchObject({ status: "pending", digest: item.digest });
});

test("a bulk approval ends with the item at which the person loses the right", async () => {
  desk = await openDesk({ config: { approval_mode: true } });
  const items = [await waiting("First."), await waiting("Second."), await waiting("Third.")];
  let decided = 0;
  const done = await approveMany(
    { items: items.map(({ id, digest }) => ({ id, digest })) },
    {
      ...desk.services,
      by: 'person via web, "Ann"',
      mayDecide: async () => ++decided <= 1,
      visitor: { person: "Ann", role: "approver", origin: "http://localhost", now: Date.now() },
      signal: never,
    },
  );
  expect(done).toMatchObject({
    ok: true,
    value: { results: [{ message: null }, { message: expect.stringContaining("no longer") }, {}] },
  });
  const statuses = await Promise.all(items.map(async ({ id }) => (await stored(id)).status));
  expect(statuses).toEqual(["executed", "pending", "pending"]);
});
