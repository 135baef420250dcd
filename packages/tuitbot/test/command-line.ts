import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "@toolpact/contract/cli";
import { failed } from "@toolpact/contract/outcome";
import type { Machine } from "../src/cli/machine.ts";
import { program } from "../src/cli/program.ts";

/** A person's machine with nothing on it. */
export interface Desk extends AsyncDisposable {
  readonly home: string;
  /** Runs a command line in this process. */
  readonly run: (words: readonly string[], how?: How) => Promise<Ran>;
}

export interface How {
  readonly env?: NodeJS.ProcessEnv;
  readonly machine?: Partial<Machine>;
  /** What the person types when asked; nobody is there when left out. */
  readonly typed?: (question: string) => string;
  readonly signal?: AbortSignal;
  /** Sees what is written beside the answer, as it is written. */
  readonly onErr?: (text: string) => void;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: () => Readonly<Record<string, unknown>>;
}

export function newDesk(): Desk {
  const home = mkdtempSync(join(tmpdir(), "tuitbot-desk-"));
  return {
    home,
    async run(words, { env = {}, machine = {}, typed, signal = new AbortController().signal, onErr } = {}) {
      let out = "";
      let err = "";
      const code = await runProgram(
        program,
        words,
        {
          out: (text) => {
            out += text;
          },
          err: (text) => {
            err += text;
            onErr?.(text);
          },
          env,
          isInteractive: typed !== undefined,
          hasColor: false,
          ask: async (question) => typed?.(question),
        },
        {
          home,
          cwd: home,
          platform: "linux",
          fetch: globalThis.fetch,
          now: Date.now,
          pause: async () => {},
          openPage: async () => false,
          readKey: async () => undefined,
          edit: async () => failed("There is no editor."),
          runtime: "/usr/bin/node",
          script: "/opt/tuitbot/bin/tuitbot.js",
          ...machine,
        },
        signal,
      );
      return { code, out, err, json: () => JSON.parse(out) };
    },
    async [Symbol.asyncDispose]() {
      rmSync(home, { recursive: true });
    },
  };
}
