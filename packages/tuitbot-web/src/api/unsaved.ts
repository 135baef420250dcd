import { signal } from "@preact/signals";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { parseJson } from "../format/json.ts";

const PREFIX = "tuitbot-unsaved:";

/** Unsaved text by its key. Stored in the browser if it allows that. */
const typed = signal<ReadonlyMap<string, unknown>>(readStored());

/** Whether the browser has stored what was typed last. */
export const isStored = signal(true);

export type UnsavedKind = "compose" | "item" | "reply";

/** One text: what it is of, for the account and the person at this browser. */
export function unsavedKey({ account, person }: SignedIn, kind: UnsavedKind, id: string | number): string {
  return `${PREFIX}${JSON.stringify([account.id, person, kind, String(id)])}`;
}

/** Everything of a kind that this person has typed for this account. */
export function unsavedOf(here: SignedIn, kind: UnsavedKind): readonly (readonly [string, unknown])[] {
  // The id comes last, so that keys of a kind begin alike.
  const start = unsavedKey(here, kind, "").slice(0, -'"]'.length);
  return [...typed.value].filter(([key]) => key.startsWith(start));
}

export function unsavedAt(key: string): unknown {
  return typed.value.get(key);
}

export function keepUnsaved(key: string, value: object): void {
  typed.value = new Map(typed.value).set(key, value);
  isStored.value = attempt((storage) => storage.setItem(key, JSON.stringify(value)));
}

export function forgetUnsaved(key: string): void {
  if (!typed.peek().has(key)) return;
  typed.value = new Map([...typed.value].filter(([other]) => other !== key));
  attempt((storage) => storage.removeItem(key));
}

/** Calls back with the key of what another tab has typed, saved or dropped. */
export function onUnsavedElsewhere(listener: (key: string) => void): () => void {
  const changed = ({ key, newValue }: StorageEvent) => {
    if (key?.startsWith(PREFIX) !== true) return;
    const next = new Map(typed.value);
    const value = newValue === null ? undefined : parseJson(newValue);
    if (value === undefined) next.delete(key);
    else next.set(key, value);
    typed.value = next;
    listener(key);
  };
  addEventListener("storage", changed);
  return () => removeEventListener("storage", changed);
}

/** Whether the browser let the page do it: it may forbid storage, or have no room. */
function attempt(work: (storage: Storage) => void): boolean {
  try {
    work(localStorage);
    return true;
  } catch {
    return false;
  }
}

function readStored(): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  attempt((storage) => {
    for (const key of Object.keys(storage)) {
      const value = key.startsWith(PREFIX) ? parseJson(storage.getItem(key) ?? "") : undefined;
      if (value !== undefined) found.set(key, value);
    }
  });
  return found;
}
