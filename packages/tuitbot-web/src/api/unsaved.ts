import { signal } from "@preact/signals";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { parseJson } from "../format/json.ts";

const PREFIX = "tuitbot-unsaved:";

/** Unsaved text by its key. Stored in the browser if it allows that. */
const typed = signal<ReadonlyMap<string, unknown>>(readStored());

/** Whether the browser has stored what was typed last. */
export const isStored = signal(true);

export type UnsavedKind = "compose" | "item" | "reply" | "comment" | "reason";

/** One text: what it is of, for the account and the person at this browser. */
export function unsavedKey({ account, person }: SignedIn, kind: UnsavedKind, id: string | number): string {
  return `${PREFIX}${JSON.stringify([account.id, person, kind, String(id)])}`;
}

/** Everything of a kind that this person has typed for this account. */
export function unsavedOf(here: SignedIn, kind: UnsavedKind): readonly (readonly [string, unknown])[] {
  return [...typed.value].filter(([key]) => isOfKind(key, here, kind));
}

export function isOfKind(key: string, here: SignedIn, kind: UnsavedKind): boolean {
  // The id comes last, so keys of a kind share a prefix.
  return key.startsWith(unsavedKey(here, kind, "").slice(0, -'"]'.length));
}

export function unsavedAt(key: string): unknown {
  return typed.value.get(key);
}

/** Called with the key of every text that is typed or forgotten in this window. */
let onChange: (key: string) => void = () => {};

export function whenUnsavedChanges(listener: (key: string) => void): void {
  onChange = listener;
}

export function keepUnsaved(key: string, value: object): void {
  typed.value = new Map(typed.value).set(key, value);
  isStored.value = attempt((storage) => storage.setItem(key, JSON.stringify(value)));
  onChange(key);
}

export function forgetUnsaved(key: string): void {
  if (!typed.peek().has(key)) return;
  typed.value = new Map([...typed.value].filter(([other]) => other !== key));
  attempt((storage) => storage.removeItem(key));
  onChange(key);
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

/** The name of this browser among those of the person. */
export function browserName(): string {
  const name = crypto.randomUUID();
  let stored: string | null = null;
  attempt((storage) => {
    stored = storage.getItem(BROWSER);
    if (stored === null) storage.setItem(BROWSER, name);
  });
  return stored ?? name;
}

const BROWSER = "tuitbot-browser";

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
