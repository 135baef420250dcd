import { nothing, Timeline } from "./timeline.ts";

/** Items filed under an owner: posts under their author, replies under their parent. */
export class TimelinesByOwner {
  readonly #files = new Map<string, Timeline>();

  /** False when the item was there already. */
  add(owner: string, item: string, key: string = item): boolean {
    let file = this.#files.get(owner);
    if (file === undefined) {
      file = new Timeline();
      this.#files.set(owner, file);
    }
    return file.add(item, key);
  }

  /** False when there was nothing to remove. */
  remove(owner: string, item: string): boolean {
    return this.#files.get(owner)?.remove(item) ?? false;
  }

  of(owner: string): Timeline {
    return this.#files.get(owner) ?? nothing;
  }

  /** Owners and what is filed under them, without those that have nothing. */
  contents(): [string, readonly string[]][] {
    return [...this.#files].filter(([, file]) => file.size > 0).map(([owner, file]) => [owner, file.items()]);
  }
}
