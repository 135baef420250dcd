import { nothing, Timeline } from "./timeline.ts";

/** Posts by author, replies by parent. */
export class TimelinesByOwner {
  readonly #files = new Map<string, Timeline>();

  /** False if it was there. */
  add(owner: string, item: string, key: string = item): boolean {
    let file = this.#files.get(owner);
    if (file === undefined) {
      file = new Timeline();
      this.#files.set(owner, file);
    }
    return file.add(item, key);
  }

  /** False if it was not there. */
  remove(owner: string, item: string): boolean {
    return this.#files.get(owner)?.remove(item) ?? false;
  }

  of(owner: string): Timeline {
    return this.#files.get(owner) ?? nothing;
  }

  /** Without empty ones. */
  contents(): [string, readonly string[]][] {
    return [...this.#files].filter(([, file]) => file.size > 0).map(([owner, file]) => [owner, file.items()]);
  }
}
