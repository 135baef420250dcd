import { maskSecrets } from "@toolpact/contract/internal";
import type { Outcome } from "@toolpact/outcome";
import type { Prompts } from "../app/prompts.ts";

/** Runs the guided set-up of `tuitbot init` on a surface. */
export type RunSetup = (
  surface: SetupSurface,
  signal: AbortSignal,
) => Promise<Outcome<unknown, { readonly message: string; readonly fix?: string }>>;

/** The surface on which the guide asks, prints and opens addresses. */
export interface SetupSurface {
  readonly prompts: Prompts;
  readonly openPage: (url: string) => Promise<boolean>;
  readonly print: (text: string) => void;
  readonly ask: (question: string) => Promise<string>;
}

export interface SetupState {
  /** Grows with every change. */
  readonly version: number;
  readonly status: "none" | "running" | "done" | "stopped" | "failed";
  readonly lines: readonly SetupLine[];
  /** Null while something is done, or nothing runs. */
  readonly question: SetupQuestion | null;
}

/** A message or a step of the guide. A `page` is an address to open; an `answer` has its question as the title. */
export interface SetupLine {
  readonly kind: "title" | "note" | "step" | "warn" | "page" | "answer";
  readonly title: string | null;
  readonly text: string;
}

export interface SetupQuestion {
  readonly number: number;
  readonly kind: "text" | "secret" | "confirm" | "choice";
  readonly message: string;
  readonly initial: string | boolean;
  readonly options?: readonly { readonly value: string; readonly label: string; readonly hint?: string }[];
  /** The problem with the last answer. */
  readonly problem: string | null;
}

/** An answer that is waited for. */
interface Asked {
  readonly question: Omit<SetupQuestion, "problem">;
  readonly check: (answer: string) => string | undefined;
  readonly resolve: (answer: string | boolean) => void;
  problem: string | null;
}

/**
 * The set-up of `tuitbot init`, asked in a browser: the same steps in the same words. There is one at a time, and every
 * window shows the same one.
 */
export class SetupConversation {
  readonly #runSetup: RunSetup;
  readonly #closing: AbortSignal;
  readonly #onError: (message: string) => void;
  #stop: AbortController | undefined;
  #status: SetupState["status"] = "none";
  #lines: SetupLine[] = [];
  #asked: Asked | undefined;
  #questions = 0;
  #version = 0;
  #changed = Promise.withResolvers<void>();

  constructor(runSetup: RunSetup, closing: AbortSignal, onError: (message: string) => void) {
    this.#runSetup = runSetup;
    this.#closing = closing;
    this.#onError = onError;
  }

  /** The state, as soon as it is newer than the version that the page has seen. */
  async state(after: number | undefined, signal: AbortSignal): Promise<SetupState> {
    const isLate = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
    const late = new Promise<void>((resolve) =>
      isLate.addEventListener("abort", () => resolve(), { once: true }),
    );
    while (after !== undefined && this.#version <= after && !isLate.aborted)
      await Promise.race([this.#changed.promise, late]);
    const asked = this.#asked;
    return {
      version: this.#version,
      status: this.#status,
      lines: [...this.#lines],
      question: asked === undefined ? null : { ...asked.question, problem: asked.problem },
    };
  }

  /** Begins at the first question; what is set stays. One that runs goes on. */
  begin(): void {
    if (this.#status === "running") return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#lines = [];
    this.#status = "running";
    this.#change();
    void this.#run(AbortSignal.any([stop.signal, this.#closing])).then((status) => {
      this.#asked = undefined;
      this.#status = status;
      this.#change();
    });
  }

  stop(): void {
    this.#stop?.abort(new Error("The person stopped the set-up."));
  }

  /** Answers the question if it is still open. Problems with the answer are reported next to the question. */
  answer(number: number, value: string | boolean): void {
    const asked = this.#asked;
    if (asked === undefined || asked.question.number !== number) return;
    const { kind, message, options } = asked.question;
    const isOfKind = kind === "confirm" ? typeof value === "boolean" : typeof value === "string";
    const isOption = options?.some((option) => option.value === value) ?? true;
    asked.problem = isOfKind && isOption ? (asked.check(String(value)) ?? null) : "This is no answer to it.";
    if (asked.problem === null) {
      this.#asked = undefined;
      const shown = options?.find((option) => option.value === value)?.label ?? String(value);
      this.#line("answer", kind === "secret" ? "********" : SAID[shown] || shown, message);
      asked.resolve(value);
    }
    this.#change();
  }

  async #run(signal: AbortSignal): Promise<SetupState["status"]> {
    try {
      const surface = {
        prompts: this.#prompts(signal),
        openPage: async (url: string) => {
          this.#line("page", url);
          return true;
        },
        print: (text: string) => this.#printed(text),
        ask: (question: string) => this.#askLine(question, signal),
      };
      const done = await this.#runSetup(surface, signal);
      if (done.ok) return "done";
      this.#line("warn", [done.failure.message, done.failure.fix].join(" ").trim());
      return "failed";
    } catch (error) {
      if (signal.aborted) return "stopped";
      const stack = (error instanceof Error && error.stack) || "unknown";
      this.#onError(`The set-up failed: ${maskSecrets(stack)}`);
      this.#line("warn", "Something here is broken; the server's log has more.");
      return "failed";
    }
  }

  #prompts(signal: AbortSignal): Prompts {
    return {
      intro: (title) => this.#line("title", title),
      note: (title, text) => this.#line("note", text, title),
      step: (text) => this.#line("step", text),
      warn: (text) => this.#line("warn", text),
      outro: (text) => this.#line("step", text),
      text: async ({ message, initial = "", check }) =>
        String(await this.#ask({ kind: "text", message, initial }, signal, check)),
      secret: async (message) => String(await this.#ask({ kind: "secret", message, initial: "" }, signal)),
      confirm: async (message, initial) =>
        (await this.#ask({ kind: "confirm", message, initial }, signal)) === true,
      choose: async (message, options, initial) =>
        // One of the options: every other answer was refused.
        (await this.#ask({ kind: "choice", message, initial, options }, signal)) as typeof initial,
    };
  }

  /** A question of a command that asks for a line of text. */
  async #askLine(question: string, signal: AbortSignal): Promise<string> {
    const message = question.replace(/\s*\[y\/N\]\s*$/, "");
    if (message === question)
      return String(await this.#ask({ kind: "text", message: question.trim(), initial: "" }, signal));
    return (await this.#ask({ kind: "confirm", message, initial: true }, signal)) === true ? "y" : "n";
  }

  #ask(
    question: Omit<SetupQuestion, "number" | "problem">,
    signal: AbortSignal,
    check: Asked["check"] = () => undefined,
  ): Promise<string | boolean> {
    this.#questions++;
    const { promise, resolve, reject } = Promise.withResolvers<string | boolean>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    this.#asked = { question: { ...question, number: this.#questions }, check, resolve, problem: null };
    this.#change();
    return promise;
  }

  /** Joins the output of a command to one note. */
  #printed(text: string): void {
    const last = this.#lines.at(-1);
    if (last?.kind === "note" && last.title === null) this.#lines.pop();
    const before = last?.kind === "note" && last.title === null ? last.text : "";
    this.#line("note", `${before}${text}`);
  }

  #line(kind: SetupLine["kind"], text: string, title: string | null = null): void {
    this.#lines.push({ kind, title, text });
    this.#change();
  }

  #change(): void {
    this.#version++;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** A page that waits longer asks again. */
const MAX_WAIT_MS = 20_000;

const SAID: Readonly<Record<string, string>> = { true: "Yes", false: "No", "": "(nothing)" };
