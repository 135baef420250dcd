import { commandFor, commonOptions, type LocalMachine } from "@toolpact/cli";
import type { Outcome } from "@toolpact/outcome";
import type { Prompts } from "../app/prompts.ts";

/** Everything outside the process that the commands use. */
export interface Machine extends LocalMachine {
  /** Asks the questions of `tuitbot init`. */
  readonly prompts: (signal: AbortSignal) => Promise<Prompts>;
  readonly fetch: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Opens a page in the browser; false if that is not possible. */
  readonly openPage: (url: string) => Promise<boolean>;
  /** Waits for a key; undefined when the person stops. */
  readonly readKey: (signal: AbortSignal) => Promise<string | undefined>;
  /** Lets the person edit a text in their editor, or says why that is not possible. */
  readonly edit: (
    text: string,
    ending: string,
    env: Readonly<NodeJS.ProcessEnv>,
  ) => Promise<Outcome<string, string>>;
}

export const globalOptions = {
  config: {
    kind: "value",
    short: "c",
    placeholder: "FILE",
    describe: "Configuration file; by default TUITBOT_CONFIG, then ~/.tuitbot/config.toml",
  },
  account: {
    kind: "value",
    placeholder: "NAME",
    describe: "The account of the configuration to act for; by default TUITBOT_ACCOUNT, then default",
  },
  ...commonOptions,
} as const;

export const command = commandFor<Machine, typeof globalOptions>();
