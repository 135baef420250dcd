import { commandFor, commonOptions } from "@toolpact/contract/cli";
import type { Outcome } from "@toolpact/contract/outcome";

/** What the commands of tuitbot reach of the machine they run on. */
export interface Machine {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly fetch: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Shows a page to the person; false where that cannot be done. */
  readonly openPage: (url: string) => Promise<boolean>;
  /** The next key that the person presses; undefined when they stop. */
  readonly readKey: (signal: AbortSignal) => Promise<string | undefined>;
  /** Lets the person edit a text in their editor; why not, where that cannot be done. */
  readonly edit: (
    text: string,
    ending: string,
    env: Readonly<NodeJS.ProcessEnv>,
  ) => Promise<Outcome<string, string>>;
  /** The program that runs this one, and the file it runs. */
  readonly runtime: string;
  readonly script: string;
}

export const globalOptions = {
  config: {
    kind: "value",
    short: "c",
    placeholder: "FILE",
    describe: "Configuration; else TUITBOT_CONFIG, else ~/.tuitbot/config.toml",
  },
  ...commonOptions,
} as const;

export const command = commandFor<Machine, typeof globalOptions>();
