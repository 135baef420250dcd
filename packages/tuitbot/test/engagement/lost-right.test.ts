import { afterEach, describe, expect, test } from "vitest";
import { approvalsFor } from "../../src/app/approvals.ts";
import { approveMany } from "../../src/app/passkey-approval.ts";
import { removePerson, savePerson } from "../../src/app/sign-in/people.ts";
import type { Role } from "../../src/app/sign-in/roles.ts";
import { findItem } from "../../src/approval/queue.ts";
import { approveThanks, openLearningDesk, thank } from "../learning/agents.ts";
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

const WORDS = "four words nobody joins";

const placeOf = ({ services, sandbox }: Desk) => ({
  db: services.db.store.db,
  account: services.db.account,
  now: sandbox.clock.now(),
});
const setRole = (name: string, role: Role) => savePerson(placeOf(desk), { person: name, role }, WORDS);
const decisionsOf = (by: string) =>
  approvalsFor(desk.services, { by, mayDecide: async () => true, signal: never });

const CONFIGURED = { name: "Ann", telegram_id: "1001" };

/** Every way to lose the right to decide, for people with a passphrase and those in `notify.people`. */
const LOSSES = [
  {
    by: 'person via web, "Ann"',
    how: "removed",
    people: [],
    lose: () => removePerson(placeOf(desk), "Ann", false),
  },
  { by: 'person via web, "Ann"', how: "made a viewer", people: [], lose: () => setRole("Ann", "viewer") },
  {
    by: 'person via telegram, "Ann"',
    how: "removed",
    people: [CONFIGURED],
    lose: () => removePerson(placeOf(desk), "Ann", true),
  },
] as const;

const READERS = {
  id: "readers",
  priority: 1,
  conditions: { tools: ["x_post_tweet"] },
  action: { type: "require_approval", reason: "Two people read it.", approvals_needed: 2 },
};

describe.each(LOSSES)("after $by was $how", ({ by, people, lose }) => {
  const configured = { notify: { people: [...people] } };
  const admit = () => (people.length === 0 ? setRole("Ann", "approver") : undefined);

  test("the approval they gave before no longer counts for an item that needs two people", async () => {
    desk = await openDesk({ config: { ...configured, mcp_policy: { rules: [READERS] } } });
    await admit();
    await setRole("Bo", "approver");
    const item = await waiting("Read by two.");
    expect(await decisionsOf(by).approve(item)).toMatchObject({ ok: true, value: { status: "pending" } });
    await lose();
    const bo = decisionsOf('person via web, "Bo"');
    expect(await bo.approve(item)).toMatchObject({
      ok: true,
      value: { status: "pending", approvedBy: ["bo"] },
    });
    const user = decisionsOf('person via terminal, user "cy"');
    expect(await user.approve(item)).toMatchObject({
      ok: true,
      value: { status: "executed", decidedBy: expect.not.stringContaining("Ann") },
    });
  });

  test("no call is let through by the similar calls that they allowed before", async () => {
    const learning = await openLearningDesk(["news"], { config: configured });
    desk = learning;
    await admit();
    await thank(learning, "news", "dear friend and reader");
    const [item] = await learning.waiting();
    if (item === undefined) return expect.fail("Nothing waits.");
    expect(await decisionsOf(by).approveSimilar(item, "week")).toMatchObject({ ok: true });
    expect(await thank(learning)).toMatchObject({ data: { url: expect.any(String) } });
    await lose();
    expect(queuedItem(await thank(learning))).toBeDefined();
    expect((await learning.report()).rules).toMatchObject([
      { state: "suspended", suspended_because: expect.stringContaining("Ann") },
    ]);
  });
});

test("rules that a user of the machine accepted stay in force", async () => {
  const learning = await openLearningDesk(["news"]);
  desk = learning;
  await approveThanks(learning);
  const [proposal] = (await learning.report()).proposals;
  expect(await learning.accept({ id: proposal?.id ?? "" })).toMatchObject({ ok: true });
  expect(await thank(learning)).toMatchObject({ data: { url: expect.any(String) } });
  expect((await learning.report()).rules).toMatchObject([{ state: "active" }]);
});
