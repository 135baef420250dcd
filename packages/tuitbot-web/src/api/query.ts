import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Outcome } from "@toolpact/outcome";
import { useLayoutEffect } from "preact/hooks";
import type { Problem } from "./problem.ts";

/** Something that was read from the server, and is read again when it may have changed. */
export interface QueryState<Value> {
  /** The last answer; undefined before the first one. It stays while a newer one is read, and after a failure. */
  readonly value: Value | undefined;
  /** Why the last reading failed. */
  readonly problem: Problem | undefined;
  /** Whether the answer is from before this part of the page was opened, and is just being read again. */
  readonly isOld: boolean;
}

export interface Query<Value> extends QueryState<Value> {
  readonly reload: () => Promise<void>;
}

interface Entry {
  readonly state: Signal<QueryState<unknown>>;
  load: () => Promise<Outcome<unknown, Problem>>;
  topics: readonly string[];
  users: number;
  /** The reading that is under way. */
  reading: Promise<void> | undefined;
  /** A change arrived during the request, so the answer may be outdated. */
  isStale: boolean;
}

const entries = new Map<string, Entry>();

/** Reads once for all parts of the page that use the same key, and again when one of the topics changes. */
export function useQuery<Value>(
  key: string,
  load: () => Promise<Outcome<Value, Problem>>,
  topics: readonly string[] = [],
): Query<Value> {
  const entry = entryOf(key, load, topics);
  // Asks before the browser paints, which takes a slow machine as long as the answer.
  useLayoutEffect(() => {
    if (entry.users === 0) entry.state.value = { ...entry.state.peek(), isOld: true };
    entry.users++;
    void read(entry);
    return () => {
      entry.users--;
    };
  }, [entry]);
  // Only this function stores under the key, with answers of the type of `load`.
  const state = (entry.state as ReadonlySignal<QueryState<Value>>).value;
  return { ...state, reload: () => read(entry) };
}

/** Reads again what shows one of these topics; all that is shown without any. */
export function changed(topics?: readonly string[]): void {
  for (const entry of entries.values()) {
    const isMeant = topics === undefined || entry.topics.some((topic) => topics.includes(topic));
    if (isMeant && entry.users > 0) void read(entry);
  }
}

function entryOf(
  key: string,
  load: () => Promise<Outcome<unknown, Problem>>,
  topics: readonly string[],
): Entry {
  const known = entries.get(key);
  if (known !== undefined) {
    known.load = load;
    return known;
  }
  const state = signal<QueryState<unknown>>({ value: undefined, problem: undefined, isOld: true });
  const entry = { state, load, topics, users: 0, reading: undefined, isStale: false };
  entries.set(key, entry);
  return entry;
}

function read(entry: Entry): Promise<void> {
  if (entry.reading !== undefined) {
    entry.isStale = true;
    return entry.reading;
  }
  entry.reading = readUntilFresh(entry).finally(() => {
    entry.reading = undefined;
  });
  return entry.reading;
}

async function readUntilFresh(entry: Entry): Promise<void> {
  do {
    entry.isStale = false;
    const answer = await entry.load();
    const { value } = entry.state.peek();
    entry.state.value = answer.ok
      ? { value: answer.value, problem: undefined, isOld: false }
      : { value, problem: answer.failure, isOld: false };
  } while (entry.isStale);
}
