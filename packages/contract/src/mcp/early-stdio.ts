import { type Internals, internals } from "./internals.ts";
import { type Opening, openingDialogue } from "./opening.ts";

export { type Opening, openingOf } from "./opening.ts";

/** The opening of an app, to be stored when a server is built; undefined for what is no app. */
export function openingOfApp(value: unknown): Opening | undefined {
  const app = Object(value) as { readonly [internals]?: Internals };
  return app[internals]?.opening?.();
}

/** What was read and answered before the server was there. */
export interface EarlyTalk {
  /** All that was read, from the first byte on: the server reads it too, so that it knows what was said. */
  readonly read: readonly Buffer[];
  /** The requests that are answered already. */
  readonly answered: readonly (string | number)[];
  /** What the list of tools was made of, if it was asked for. */
  readonly listed: Opening | undefined;
  readonly hasEnded: boolean;
}

/** A client on stdin and stdout whose first requests are answered before the server is loaded. */
export interface EarlyStdio {
  /** Resolves when the server has to be loaded: something waits for it, or the client has what it needs to begin. */
  readonly due: Promise<void>;
  /** Lets the server be loaded now. */
  readonly hurry: () => void;
  /** Stops answering, and hands over. */
  readonly takeOver: () => EarlyTalk;
}

/** So long the next message of a handshake is waited for, which loading the server would keep waiting. */
const PAUSE_MS = 50;
/** An opening is a few messages; who sends more, or longer ones, talks to the server. */
const MOST_ANSWERS = 16;
const MOST_BYTES = 256 * 1024;

/**
 * Answers the opening of a client from what was prepared, for a process that has loaded nothing else yet. The stream is
 * `process.stdin`; `serveStdio` takes over from it.
 */
export function openStdio(
  opening: () => Opening,
  write: (text: string) => unknown = (text) => process.stdout.write(text),
): EarlyStdio {
  const input = process.stdin;
  const answer = openingDialogue(opening);
  const read: Buffer[] = [];
  const answered: (string | number)[] = [];
  let bytes = 0;
  let rest = "";
  let listed: Opening | undefined;
  let hasEnded = false;
  let isPassing = false;
  let hurry = () => {};
  const due = new Promise<void>((resolve) => {
    hurry = resolve;
  });
  let timer = setTimeout(hurry, PAUSE_MS);

  const pass = () => {
    if (isPassing) return;
    isPassing = true;
    // What else the client sends waits in the pipe.
    input.pause();
    hurry();
  };
  const hear = (chunk: Buffer) => {
    read.push(chunk);
    bytes += chunk.length;
    if (isPassing) return;
    // Characters that chunks cut in two are no part of an opening: what they become is not answered here.
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.trim() === "") continue;
      const opened = line.includes("\ufffd") ? undefined : answer(line);
      if (opened === undefined || opened.kind === "passed") return pass();
      if (opened.kind === "heard") continue;
      answered.push(opened.id);
      write(opened.line);
      // The client has what it needs; calls come next, and find more loaded the earlier it begins.
      if (opened.line.startsWith(LIST)) {
        listed = opening();
        setImmediate(hurry);
      }
    }
    if (bytes > MOST_BYTES || answered.length >= MOST_ANSWERS) return pass();
    clearTimeout(timer);
    timer = setTimeout(hurry, PAUSE_MS);
  };
  const end = () => {
    hasEnded = true;
    hurry();
  };
  input.on("data", hear);
  input.on("end", end);
  input.on("close", end);
  input.on("error", end);
  // A process that serves nobody after all is not kept alive by a client that may never come.
  input.unref?.();

  const stdio: EarlyStdio = {
    due,
    hurry,
    takeOver() {
      clearTimeout(timer);
      input.off("data", hear);
      input.off("end", end);
      input.off("close", end);
      input.off("error", end);
      return { read, answered, listed, hasEnded };
    },
  };
  shared[CLIENT] = stdio;
  return stdio;
}

const LIST = '{"result":{"tools":';

/** The client whose opening is answered without a server, if there is one: whoever calls this serves it from now on. */
export function claimEarlyStdio(): EarlyStdio | undefined {
  const claimed = shared[CLIENT];
  shared[CLIENT] = undefined;
  if (claimed !== undefined) process.stdin.ref?.();
  return claimed;
}

/** There is one stdin, and what reads it first may be another copy of this module, in a file that is loaded faster. */
const CLIENT = Symbol.for("@toolpact/contract/opening");
const shared = globalThis as { [CLIENT]?: EarlyStdio | undefined };
