import { cast, Sandbox } from "@toolpact/x-sandbox";
import { afterEach, expect, test } from "vitest";
import type { LoopEnd, LoopName } from "../../src/autopilot/pass.ts";
import { type Desk, openDesk } from "./desk.ts";
import { passWith } from "./passes.ts";

let desk: Desk;
afterEach(() => desk?.close());

type Answer = Record<string, unknown>;

/** A desk whose X returns answers changed by the test. */
async function openWith(changed: (path: string, answer: Answer) => Answer): Promise<void> {
  const sandbox = new Sandbox({ plan: "enterprise", size: { people: 12, posts: 30 } });
  const { fetch } = sandbox;
  Object.defineProperty(sandbox, "fetch", {
    value: async (input: string | URL | Request, init?: RequestInit) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const response = await fetch(input, init);
      const answer = changed(pathname, (await response.json()) as Answer);
      return new Response(JSON.stringify(answer), { status: response.status, headers: response.headers });
    },
  });
  desk = await openDesk({
    sandbox,
    config: {
      mode: "composer",
      targets: { accounts: [cast.friend] },
      business: { product_keywords: ["sourdough"] },
    },
  });
}

async function pass(...loops: LoopName[]): Promise<readonly (LoopEnd | undefined)[]> {
  const ends = await passWith(desk, { ignoresSchedule: true, loops });
  return loops.map((name) => ends[name]);
}

test.each([[[null]], [[{}]], [[1]], [[{ id: 7 }]]])(
  "a list of %j is passed over, and nothing is kept of it",
  async (data) => {
    let isOdd = true;
    await openWith((path, answer) =>
      isOdd && /mentions|search|users\/\d+\/tweets/.test(path) ? { data, meta: { result_count: 1 } } : answer,
    );
    const { db } = desk.services.db.store;
    await pass("mentions", "targets", "discovery");
    const kept = await db.selectFrom("discovered_posts").select("id").execute();
    const cursors = await db.selectFrom("targets").select("cursor").execute();
    const loops = await db.selectFrom("loops").select("cursor").where("name", "=", "mentions").execute();
    expect({ kept, cursors, loops }).toEqual({
      kept: [],
      cursors: [{ cursor: null }],
      loops: [{ cursor: null }],
    });
    isOdd = false;
    desk.sandbox.clock.advance(60_000);
    for (const end of await pass("mentions", "targets", "discovery")) expect(end?.status).toBe("completed");
  },
);

test("an answer without numbers does not overwrite the followers of the day", async () => {
  let isOdd = false;
  await openWith((path, answer) =>
    isOdd && path === "/2/users/me" ? { data: { id: "1", username: "x", name: "x" } } : answer,
  );
  const days = desk.services.db.store.db.selectFrom("follower_snapshots").select(["day", "followers"]);
  await pass("analytics");
  const before = await days.execute();
  isOdd = true;
  expect(await pass("analytics")).toMatchObject([{ status: "failed" }]);
  expect(await days.execute()).toEqual(before);
});
