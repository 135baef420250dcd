import type { View } from "./render/view.ts";
import { parseQuery } from "./search/query.ts";
import type { Post } from "./world/post.ts";
import type { World } from "./world/world.ts";

/** X allows one per app. */
export class Streams {
  readonly #open = new Map<string, Lines>();

  close(): void {
    for (const lines of this.#open.values()) void lines.return();
  }

  /** One JSON line per matching post, until the reader disconnects. */
  connect(appId: string, world: World, viewOf: () => View): AsyncIterable<string> | undefined {
    if (this.#open.has(appId)) return undefined;
    const lines = new Lines(() => {
      stop();
      this.#open.delete(appId);
    });
    this.#open.set(appId, lines);
    const stop = world.watchPosts((post) => {
      const line = lineFor(post, world, viewOf());
      if (line !== undefined) lines.push(line);
    });
    return lines;
  }
}

function lineFor(post: Post, world: World, view: View): string | undefined {
  const matching = [...world.streamRules.values()].filter((rule) => {
    const parsed = parseQuery(rule.value);
    return "query" in parsed && parsed.query.matches(post, world);
  });
  if (matching.length === 0) return undefined;
  const { body } = view.one(view.posts([post])[0]);
  const rules = matching.map(({ id, tag }) => ({ id, ...(tag !== undefined && { tag }) }));
  return typeof body === "object" ? `${JSON.stringify({ ...body, matching_rules: rules })}\r\n` : undefined;
}

class Lines implements AsyncIterableIterator<string> {
  readonly #waiting: string[] = [];
  readonly #onReturn: () => void;
  #wake: ((result: IteratorResult<string>) => void) | undefined;

  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(line: string): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake === undefined) this.#waiting.push(line);
    else wake({ value: line, done: false });
  }

  next(): Promise<IteratorResult<string>> {
    const line = this.#waiting.shift();
    if (line !== undefined) return Promise.resolve({ value: line, done: false });
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  return(): Promise<IteratorResult<string>> {
    this.#onReturn();
    this.#wake?.({ value: undefined, done: true });
    this.#wake = undefined;
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
