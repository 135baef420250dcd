import type { Timeline } from "./timeline.ts";
import { TimelinesByOwner } from "./timelines-by-owner.ts";

/** A relation between two kinds of thing (who follows whom, who likes what), readable from both ends. */
export class Relation {
  readonly #from = new TimelinesByOwner();
  readonly #to = new TimelinesByOwner();

  /** False when the relation existed already. `key` is an id generated for the event. */
  add(from: string, to: string, key: string): boolean {
    return this.#from.add(from, to, key) && this.#to.add(to, from, key);
  }

  /** False when the relation did not exist. */
  remove(from: string, to: string): boolean {
    return this.#from.remove(from, to) && this.#to.remove(to, from);
  }

  has(from: string, to: string): boolean {
    return this.#from.of(from).has(to);
  }

  from(from: string): Timeline {
    return this.#from.of(from);
  }

  to(to: string): Timeline {
    return this.#to.of(to);
  }

  /** Removes every relation of a record that was deleted. */
  drop(thing: string): void {
    for (const to of this.from(thing).items()) this.remove(thing, to);
    for (const from of this.to(thing).items()) this.remove(from, thing);
  }

  pairs(): [string, readonly string[]][] {
    return this.#from.contents();
  }
}
