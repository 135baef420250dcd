import { inspect } from "node:util";

/**
 * A text that must not be printed. Logging it, formatting it or turning it into JSON shows `[secret]`;
 * only `reveal()` gives it away.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
