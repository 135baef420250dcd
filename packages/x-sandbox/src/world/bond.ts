import { Chronicle, nothing } from "./chronicle.ts";

/** A relation between two kinds of thing (who follows whom, who likes what), readable from both ends. */
export class Bond {
  readonly #from = new Map<string, Chronicle>();
  readonly #to = new Map<string, Chronicle>();

  /** False when the two were bound already. `key` is an id minted for the event. */
  add(from: string, to: string, key: string): boolean {
    return chronicleOf(this.#from, from).add(to, key) && chronicleOf(this.#to, to).add(from, key);
  }

  /** False when the two were not bound. */
  remove(from: string, to: string): boolean {
    this.#to.get(to)?.remove(from);
    return this.#from.get(from)?.remove(to) ?? false;
  }

  has(from: string, to: string): boolean {
    return this.#from.get(from)?.has(to) ?? false;
  }

  from(from: string): Chronicle {
    return this.#from.get(from) ?? nothing;
  }

  to(to: string): Chronicle {
    return this.#to.get(to) ?? nothing;
  }

  /** Forgets everything bound to a thing that is gone. */
  drop(thing: string): void {
    for (const to of this.from(thing).items()) this.remove(thing, to);
    for (const from of this.to(thing).items()) this.remove(from, thing);
  }

  pairs(): [string, readonly string[]][] {
    return [...this.#from].filter(([, to]) => to.size > 0).map(([from, to]) => [from, to.items()]);
  }
}

/** Ids filed under an owner: posts under their author, replies under their parent. */
export class Shelf {
  readonly #files = new Map<string, Chronicle>();

  add(owner: string, id: string): void {
    chronicleOf(this.#files, owner).add(id);
  }

  remove(owner: string, id: string): void {
    this.#files.get(owner)?.remove(id);
  }

  of(owner: string): Chronicle {
    return this.#files.get(owner) ?? nothing;
  }
}

function chronicleOf(files: Map<string, Chronicle>, owner: string): Chronicle {
  let file = files.get(owner);
  if (file === undefined) {
    file = new Chronicle();
    files.set(owner, file);
  }
  return file;
}
