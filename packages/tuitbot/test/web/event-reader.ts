import type { EventData } from "../../src/web/api.ts";

/** Reads a stream of server-sent events, as a browser does. */
export class EventReader {
  /** The id of the last event. */
  lastId: string | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #leave: () => void;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response, leave: () => void) {
    if (response.body === null) throw new Error("It is no stream.");
    this.#reader = response.body.getReader();
    this.#leave = leave;
  }

  /** The next events; fewer where the stream ends. */
  async take(count: number): Promise<readonly EventData[]> {
    const taken: EventData[] = [];
    while (taken.length < count) {
      const end = this.#text.indexOf("\n\n");
      if (end === -1) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        this.#text += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      this.lastId = /^id: (.*)$/m.exec(block)?.[1];
      // The server's event; tests compare it.
      taken.push(JSON.parse(data) as EventData);
    }
    return taken;
  }

  leave(): void {
    this.#leave();
  }
}
