import { nothing, Timeline } from "./timeline.ts";

/** Items by owner: posts by author, replies by parent. */
export class TimelinesByOwner {
  readonly #files = new Map<string, Timeline>();

  /** Returns false if the item was there already. */
  add(owner: string, item: string, key: string = item): boolean {
    let file = this.#files.get(owner);
    if (file === undefined) {
      file = new Timeline();
      this.#files.set(owner, file);
    }
    return file.add(item, key);
  }

  /** Returns false if the item was not there. */
  remove(owner: string, item: string): boolean {
    return this.#files.get(owner)?.remove(item) ?? false;
  }

  of(owner: string): Timeline {
    return this.#files.get(owner) ?? nothing;
  }

  /** Owners with their items, without empty ones. */
  contents(): [string, readonly string[]][] {
    return [...this.#files].filter(([, file]) => file.size > 0).map(([owner, file]) => [owner, file.items()]);
  }
}
