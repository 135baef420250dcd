import { expect, test, vi } from "vitest";
import { type Snapshot, takeSnapshot } from "../../src/app/changes.ts";
import { watchChanges } from "../../src/storage/watch-changes.ts";
import type { EventData } from "../../src/web/api.ts";
import { eventStreams } from "../../src/web/event-stream.ts";
import { onBothEngines } from "../postgres/both-engines.ts";
import { EventReader } from "./event-reader.ts";

onBothEngines("what changes", ({ place, open }) => {
  test("reaches a page from any connection, and after a gap what it has missed", async () => {
    const where = await place();
    const [own, other] = [await open(where), await open(where)];
    const newStreams = () =>
      eventStreams({
        snapshot: () => takeSnapshot(own.db, "1", Date.now(), "runner"),
        watch: (onChange) => watchChanges(where, onChange),
        onError: (error) => {
          throw error;
        },
      });
    const listen = async (streams: ReturnType<typeof newStreams>, seen?: string) => {
      const gone = new AbortController();
      const response = await streams.open(
        { person: "Ann", seenId: seen, isAllowed: async () => true },
        gone.signal,
      );
      return new EventReader(response, () => gone.abort());
    };
    const spend = (micros: number) =>
      other.db
        .insertInto("spend")
        .values({ account: "1", period: new Date().toISOString().slice(0, 10), micros })
        .onConflict((conflict) => conflict.columns(["account", "period"]).doUpdateSet({ micros }))
        .execute();
    const stop = (account: string) =>
      other.db
        .insertInto("stops")
        .values({ account, stopped_at: 1, stopped_by: "Ann", reason: null })
        .execute();

    const streams = newStreams();
    const page = await listen(streams);
    const first = await page.take(6);
    expect(first.map(({ kind }) => kind)).toEqual([
      "approvals",
      "drafts",
      "activity",
      "runner",
      "spend",
      "stop",
    ]);
    await spend(5);
    expect(await page.take(1)).toEqual<EventData[]>([{ kind: "spend", count: 5, latest: null }]);
    // Changes of other accounts are not sent.
    await stop("2");
    await stop("1");
    expect(await page.take(1)).toEqual<EventData[]>([{ kind: "stop", count: 1, latest: null }]);
    const { lastId } = page;
    await streams.close();
    expect(await page.take(1)).toEqual([]);

    await spend(7);
    const after = newStreams();
    const back = await listen(after, lastId);
    expect(await back.take(1)).toEqual<EventData[]>([{ kind: "spend", count: 7, latest: null }]);
    // A page that has seen everything receives nothing until something changes.
    const calm = await listen(after, back.lastId);
    await other.db.deleteFrom("stops").where("account", "=", "1").execute();
    expect(await calm.take(1)).toEqual<EventData[]>([{ kind: "stop", count: 0, latest: null }]);

    // A stop that a page was answered, and that is over before anybody has looked.
    const { lastId: before } = calm;
    const late = eventStreams({
      snapshot: () => takeSnapshot(own.db, "1", Date.now(), "runner"),
      watch: () => async () => {},
      onError: (error) => {
        throw error;
      },
    });
    const quick = await listen(late, before);
    await stop("1");
    late.publish(await takeSnapshot(own.db, "1", Date.now(), "runner"));
    expect(await quick.take(1)).toEqual<EventData[]>([{ kind: "stop", count: 1, latest: null }]);
    await other.db.deleteFrom("stops").where("account", "=", "1").execute();
    await listen(late, before);
    expect(await quick.take(1)).toEqual<EventData[]>([{ kind: "stop", count: 0, latest: null }]);
    await late.close();
    await after.close();
  });
});

test("a page that is gone, before its stream begins or between two beats, takes nobody with it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    let change = () => {};
    let spent = 1;
    const errors: unknown[] = [];
    const streams = eventStreams({
      snapshot: async () => snapshotWith(spent),
      watch: (onChange) => {
        change = onChange;
        return async () => {};
      },
      onError: (error) => errors.push(error),
    });
    const visitor = { person: "Ann", seenId: undefined, isAllowed: async () => true };
    const deadBefore = await streams.open(visitor, AbortSignal.abort());
    expect(await deadBefore.text()).toBe("");
    // The server drops the body without an abort signal.
    const cancelled = await streams.open(visitor, new AbortController().signal);
    await cancelled.body?.cancel();
    const between = new AbortController();
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await streams.open(
      {
        ...visitor,
        isAllowed: async () => {
          between.abort();
          asked();
          return true;
        },
      },
      between.signal,
    );
    const alive = new EventReader(await streams.open(visitor, new AbortController().signal), () => {});
    await alive.take(6);

    spent = 2;
    change();
    expect(await alive.take(1)).toEqual<EventData[]>([{ kind: "spend", count: 2, latest: null }]);
    spent = 3;
    // An unhandled rejection here fails the run, as it would end the server.
    vi.advanceTimersByTime(15_000);
    await isAsked;
    expect(await alive.take(1)).toEqual<EventData[]>([{ kind: "spend", count: 3, latest: null }]);
    await streams.close();
    expect(errors).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test("a stream ends with the next change when its person may not listen any more, and one person has only so many", async () => {
  let change = () => {};
  const streams = eventStreams({
    snapshot: async () => snapshotWith(0),
    watch: (onChange) => {
      change = onChange;
      return async () => {};
    },
    onError: (error) => {
      throw error;
    },
  });
  let mayListen = true;
  const open = (person: string) =>
    streams.open(
      { person, seenId: undefined, isAllowed: async () => mayListen },
      new AbortController().signal,
    );
  const kept = await open("Ben");
  const own = [];
  for (let number = 0; number < 30; number++) own.push(await open("Ann"));
  for (const ended of own.slice(0, 6)) expect(await ended.text()).toContain("retry: 1000");
  mayListen = false;
  change();
  for (const ended of [kept, ...own.slice(6)]) expect(await ended.text()).toContain("retry: 1000");
  await streams.close();
});

/** The state of an account that has spent so much and done nothing else. */
function snapshotWith(spent: number): Snapshot {
  const state = <Kind extends EventData["kind"]>(kind: Kind, count = 0) => ({
    kind,
    version: String(count),
    count,
    latest: null,
  });
  return {
    approvals: state("approvals"),
    drafts: state("drafts"),
    activity: state("activity"),
    runner: state("runner"),
    stop: state("stop"),
    spend: state("spend", spent),
  };
}
