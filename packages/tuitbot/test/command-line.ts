import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunInMemoryResult, runInMemory } from "@toolpact/cli/testing";
import { failed } from "@toolpact/outcome";
import type { Machine } from "../src/cli/machine.ts";
import { program } from "../src/cli/program.ts";

/** A person's machine with nothing on it. */
export interface TestApp extends AsyncDisposable {
  readonly home: string;
  /** Runs a command line in this process. */
  readonly run: (words: readonly string[], how?: How) => Promise<Ran>;
}

export interface How {
  readonly env?: NodeJS.ProcessEnv;
  readonly machine?: Partial<Machine>;
  /** The user's input at a prompt; nobody answers if absent. */
  readonly typed?: (question: string) => string;
  readonly signal?: AbortSignal;
  /** Characters in a line. */
  readonly width?: number;
  readonly hasColor?: boolean;
  /** Receives stderr output as it is written. */
  readonly onErr?: (text: string) => void;
}

export type Ran = RunInMemoryResult;

export function testApp(): TestApp {
  const home = mkdtempSync(join(tmpdir(), "tuitbot-desk-"));
  return {
    home,
    run: (words, { machine, typed, ...options } = {}) =>
      runInMemory(
        program,
        words,
        {
          home,
          cwd: home,
          platform: "linux",
          fetch: globalThis.fetch,
          now: Date.now,
          pause: async () => {},
          openPage: async () => false,
          prompts: async () => {
            throw new Error("Nobody answers the prompts.");
          },
          readKey: async () => undefined,
          edit: async () => failed("There is no editor."),
          runtime: "/usr/bin/node",
          script: "/opt/tuitbot/bin/tuitbot.js",
          ...machine,
        },
        { ...options, ...(typed !== undefined && { answer: typed }) },
      ),
    async [Symbol.asyncDispose]() {
      rmSync(home, { recursive: true });
    },
  };
}
