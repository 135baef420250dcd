import { signal } from "@preact/signals";
import type { JsonObject, SignedIn, UnsavedText } from "tuitbot/src/web/api.ts";
import { runCommand } from "./client.ts";
import { browserName, isOfKind, unsavedAt, unsavedOf, whenUnsavedChanges } from "./unsaved.ts";

/** Typed text reaches the server so soon. */
const DELAY_MS = 400;
const RETRY_MS = 5_000;

/** The keys whose text the server has as it is. */
export const onServer = signal<ReadonlySet<string>>(new Set());

/** The texts that the person has typed in other browsers and not saved. */
export const elsewhere = signal<readonly UnsavedText[]>([]);

/** Saves the texts of Compose on the server too, while the user is signed in. */
export function startSync(here: SignedIn): () => void {
  // The server keeps no texts of people who may send none.
  if (here.role === "viewer") return () => {};
  const browser = browserName();
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSending = false;
  let isOver = false;

  async function send(key: string): Promise<boolean> {
    const value = unsavedAt(key);
    const kept = await runCommand("text_keep", {
      ...{ browser, key },
      // It was made from JSON, or is made of JSON alone.
      ...(value !== undefined && { value: value as JsonObject }),
    });
    if (!kept.ok) return false;
    elsewhere.value = kept.value.texts;
    if (value !== undefined && unsavedAt(key) === value) onServer.value = new Set(onServer.value).add(key);
    return true;
  }
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isSending) return;
    isSending = true;
    const keys = [...waiting];
    waiting.clear();
    let ms: number | undefined;
    for (const key of keys) {
      if (isOver) return;
      if (await send(key)) continue;
      waiting.add(key);
      ms = RETRY_MS;
    }
    isSending = false;
    if (waiting.size > 0) schedule(ms ?? delayOf(waiting));
  }
  function schedule(ms: number): void {
    if (isOver || isSending) return;
    if (ms === 0) void flush();
    else timer ??= setTimeout(() => void flush(), ms);
  }
  /** A text that was saved or dropped is forgotten at once: the page may be closed next, and it would be offered elsewhere. */
  function delayOf(keys: Iterable<string>): number {
    return [...keys].some((key) => unsavedAt(key) === undefined) ? 0 : DELAY_MS;
  }
  function note(key: string): void {
    if (!isOfKind(key, here, "compose")) return;
    if (onServer.value.has(key)) onServer.value = new Set([...onServer.value].filter((one) => one !== key));
    waiting.add(key);
    schedule(delayOf([key]));
  }
  async function look(): Promise<void> {
    const found = await runCommand("texts", { browser });
    if (found.ok && !isOver) elsewhere.value = found.value.texts;
  }
  const lookAgain = () => void look();

  whenUnsavedChanges(note);
  for (const [key] of unsavedOf(here, "compose")) note(key);
  addEventListener("focus", lookAgain);
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
    whenUnsavedChanges(() => {});
    removeEventListener("focus", lookAgain);
    onServer.value = new Set();
    elsewhere.value = [];
  };
}

/** Forgets a text of another browser, which this one has taken over. */
export async function forgetElsewhere({ browser, key }: UnsavedText): Promise<void> {
  elsewhere.value = elsewhere.value.filter((text) => text.browser !== browser || text.key !== key);
  await runCommand("text_keep", { browser, key });
}
