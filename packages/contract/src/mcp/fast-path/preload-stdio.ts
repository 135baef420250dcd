import { Readable } from "node:stream";
import { parseJson } from "../../json.ts";
import { type Internals, internals } from "../internals.ts";
import { type Handshake, HandshakeAnswers } from "./handshake.ts";

export { type Handshake, handshakeOf } from "./handshake.ts";

/** Stored by a build; undefined if the value is not an app. */
export function handshakeOfApp(value: unknown): Handshake | undefined {
  const app = Object(value) as { readonly [internals]?: Internals };
  return app[internals]?.handshake?.();
}

export interface EarlyMessages {
  /** From its first byte: the server reads it again to reach the same state. */
  readonly input: NodeJS.ReadableStream;
  /** Ids of answered requests. */
  readonly answered: readonly (string | number)[];
  readonly listed: Handshake | undefined;
}

/** A client on stdio whose handshake is answered before the server is loaded. */
export interface PreloadedStdio {
  /** Resolves when a message needs the server, or the client has the list. */
  readonly due: Promise<void>;
  readonly loadNow: () => void;
  readonly takeOver: () => EarlyMessages;
}

/** Wait this long for the next handshake message before loading. */
const PAUSE_MS = 50;
/** A handshake is a few short messages. */
const MAX_ANSWERS = 16;
const MAX_BYTES = 256 * 1024;

/** Answers a handshake on stdin from prepared data. `serveStdio` takes over from it. */
export function preloadStdio(
  handshake: () => Handshake,
  write: (text: string) => unknown = (text) => process.stdout.write(text),
): PreloadedStdio {
  const input = process.stdin;
  const answers = new HandshakeAnswers(handshake);
  const read: Buffer[] = [];
  const answered: (string | number)[] = [];
  let bytes = 0;
  let rest = "";
  let listed: Handshake | undefined;
  let isPassing = false;
  let loadNow = () => {};
  const due = new Promise<void>((resolve) => {
    loadNow = resolve;
  });
  let timer = setTimeout(loadNow, PAUSE_MS);

  const pass = () => {
    if (isPassing) return;
    isPassing = true;
    // Later messages wait in the pipe.
    input.pause();
    loadNow();
  };
  const onData = (chunk: Buffer) => {
    read.push(chunk);
    bytes += chunk.length;
    if (isPassing) return;
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() === "") continue;
      // A character split between two chunks decodes to U+FFFD; such a line is left to the server.
      const answer = line.includes("\ufffd") ? undefined : answers.answer(parseJson(line));
      if (answer === undefined || answer.kind === "passed") return pass();
      if (answer.kind === "accepted") continue;
      answered.push(answer.id);
      write(`${answer.text}\n`);
      // Calls come next, so start loading the server for them.
      if (answer.isList) {
        listed = handshake();
        setImmediate(loadNow);
      }
    }
    if (bytes > MAX_BYTES || answered.length >= MAX_ANSWERS) return pass();
    clearTimeout(timer);
    timer = setTimeout(loadNow, PAUSE_MS);
  };
  input.on("data", onData);
  for (const event of ENDS) input.on(event, loadNow);
  // Do not keep a process running that turns out not to serve stdin.
  input.unref?.();

  const preloaded: PreloadedStdio = {
    due,
    loadNow,
    takeOver() {
      clearTimeout(timer);
      input.pause();
      input.off("data", onData);
      for (const event of ENDS) input.off(event, loadNow);
      const hasEnded = input.readableEnded || input.destroyed;
      // An ended stream takes nothing back.
      if (!hasEnded && bytes > 0) input.unshift(Buffer.concat(read));
      return { input: hasEnded ? Readable.from(read) : input, answered, listed };
    },
  };
  shared[CLIENT] = preloaded;
  return preloaded;
}

const ENDS = ["end", "close", "error"] as const;

/** The caller serves the returned client from now on. */
export function claimPreloadedStdio(): PreloadedStdio | undefined {
  const claimed = shared[CLIENT];
  shared[CLIENT] = undefined;
  if (claimed !== undefined) process.stdin.ref?.();
  return claimed;
}

/** Global, because the first file may bundle its own copy of this module. */
const CLIENT = Symbol.for("@toolpact/contract/preload");
const shared = globalThis as { [CLIENT]?: PreloadedStdio | undefined };
