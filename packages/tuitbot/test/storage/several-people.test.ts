import { peopleLine, personVia } from "@toolpact/contract/internal/guards";
import { expect, test } from "vitest";
import { editItem } from "../../src/approval/edit.ts";
import { findItem } from "../../src/approval/queue.ts";
import { rejectItem } from "../../src/approval/reject.ts";
import { releaseItem } from "../../src/approval/release.ts";
import { stateLine } from "../../src/notify/messages.ts";
import { queuedItem } from "../live-server.ts";
import { onBothEngines, type Stores } from "../postgres/both-engines.ts";
import { approvalKey, type TestServer } from "./server.ts";
import { newSandbox, postedBy, serverOn } from "./world.ts";

const needs = (approvals_needed: number) => ({
  config: {
    mcp_policy: {
      rules: [
        {
          id: "for-posts",
          conditions: { tools: ["x_post_tweet"] },
          action: { type: "require_approval", reason: "People read it.", approvals_needed },
        },
      ],
    },
  },
});

const web = (name: string) => personVia("web", JSON.stringify(name));
const telegram = (name: string) => personVia("telegram", JSON.stringify(name));
const terminal = (name: string) => personVia("terminal", `user ${JSON.stringify(name)}`);

async function asked(stores: Stores, people = 2) {
  const sandbox = newSandbox();
  const place = await stores.place();
  const servers = [
    serverOn(await stores.open(place), sandbox, needs(people)),
    serverOn(await stores.open(place), sandbox, needs(people)),
  ] as [TestServer, TestServer];
  const [server] = servers;
  const { store, account } = server.session;
  const id = queuedItem(await server.call("x_post_tweet", { text: "Read by two" })) ?? 0;
  const item = async () => {
    const found = await findItem(store.db, account, id);
    if (!found.ok) throw new Error(found.failure.message);
    return found.value;
  };
  const yes = async (by: string, digest?: string, on: TestServer = server) =>
    releaseItem(on.releasing, id, { digest: digest ?? (await item()).digest, by });
  return { sandbox, servers, store, account, id, item, yes };
}

onBothEngines("an item that needs two people", (stores) => {
  test("waits for another person, counts each once at whatever surface, and is sent with the second yes", async () => {
    const { sandbox, item, yes } = await asked(stores);
    expect(await item()).toMatchObject({ peopleNeeded: 2, approvedBy: [] });
    for (const by of [web("Ann"), telegram("ann"), terminal("ANN"), `${web("Ann")}, with a passkey`])
      expect(await yes(by)).toMatchObject({ ok: true, value: { status: "pending", approvedBy: ["ann"] } });
    expect(peopleLine(await item())).toBe(
      '1 of 2 people have approved it ("ann"): waiting for another person.',
    );
    expect(stateLine(await item())).toContain("1 of 2 people");
    expect(postedBy(sandbox)).toHaveLength(0);
    // An answer through a client names nobody, and an agent is nobody.
    for (const by of ['person via stdio, client "x"', 'agent via http, client "x", token'])
      expect(await yes(by)).toMatchObject({ ok: false, failure: { reason: "needs_person" } });
    expect(await yes(terminal("bo"))).toMatchObject({
      ok: true,
      value: { status: "executed", decidedBy: expect.stringMatching(/Ann.*; .*bo/) },
    });
    expect(postedBy(sandbox)).toHaveLength(1);
    expect(await yes(web("Cy"))).toMatchObject({ ok: false, failure: { reason: "already_decided" } });
    expect(postedBy(sandbox)).toHaveLength(1);
  });

  test("is sent once if both approve at the same time on two servers", async () => {
    const { sandbox, servers, item, yes } = await asked(stores);
    const { digest } = await item();
    const answers = await Promise.all([
      yes(web("Ann"), digest, servers[0]),
      yes(telegram("Bo"), digest, servers[1]),
    ]);
    expect(answers.map((answer) => answer.ok && answer.value.status).toSorted()).toEqual([
      "executed",
      "pending",
    ]);
    expect(postedBy(sandbox)).toHaveLength(1);
    expect((await item()).status).toBe("executed");
  });

  test("begins anew when it is edited, ends with one no, and no row in the database makes up a yes", async () => {
    const { sandbox, store, account, id, item, yes } = await asked(stores);
    await yes(web("Ann"));
    const { digest } = await item();
    const edited = await editItem(store, approvalKey, {
      account,
      id,
      digest,
      args: { text: "Read anew by two" },
      media: [],
      claim: "another",
      estimatedMicros: 15_000,
      editor: web("Bo"),
      now: sandbox.clock.now(),
    });
    expect(edited).toMatchObject({ ok: true, value: { approvedBy: [], peopleNeeded: 2 } });
    expect(await yes(web("Bo"), digest)).toMatchObject({ ok: false, failure: { reason: "content_changed" } });
    for (const by of [web("Bo"), telegram("Bo"), terminal("bo")])
      expect(await yes(by)).toMatchObject({ ok: true, value: { status: "pending", approvedBy: ["bo"] } });
    const forged = [{ person: "eve", by: web("Eve"), digest: "0".repeat(64) }];
    await store.db
      .updateTable("approvals")
      .set({ votes_json: JSON.stringify(forged) })
      .where("id", "=", id)
      .execute();
    expect(await yes(web("Bo"))).toMatchObject({
      ok: true,
      value: { status: "pending", approvedBy: ["bo"] },
    });
    const rejected = { digest: (await item()).digest, by: web("Ann"), now: sandbox.clock.now() };
    expect(await rejectItem(store.db, account, id, rejected)).toMatchObject({ ok: true });
    expect(await yes(web("Cy"))).toMatchObject({ ok: false, failure: { reason: "already_decided" } });
    expect(postedBy(sandbox)).toHaveLength(0);
  });

  test("is asked for when one person edits what one could have approved, and the policy wants two by now", async () => {
    const { sandbox, store, account, id, item, yes } = await asked(stores, 1);
    expect(await item()).toMatchObject({ peopleNeeded: 1 });
    const edited = await editItem(store, approvalKey, {
      ...{ account, id, digest: (await item()).digest, args: { text: "By one alone" }, media: [] },
      ...{ claim: "another", estimatedMicros: 15_000, editor: web("Bo"), now: sandbox.clock.now() },
      peopleNeeded: 2,
    });
    expect(edited).toMatchObject({ ok: true, value: { peopleNeeded: 2 } });
    expect(await yes(web("Bo"))).toMatchObject({ ok: true, value: { status: "pending" } });
    expect(postedBy(sandbox)).toHaveLength(0);
    expect(await yes(web("Ann"))).toMatchObject({ ok: true, value: { status: "executed" } });
    expect(postedBy(sandbox)).toMatchObject([{ text: "By one alone" }]);
  });
});
