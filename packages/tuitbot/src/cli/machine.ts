import { commandFor, commonOptions, type LocalMachine } from "@toolpact/cli";
import { failed, type Outcome } from "@toolpact/outcome";
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

const declare = commandFor<Machine, typeof globalOptions>();

export const command: typeof declare = (definition) =>
  declare({
    ...definition,
    async run(input, context) {
      const outcome = await definition.run(input, context);
      if (outcome.ok) return outcome;
      const { message, fix, ...failure } = outcome.failure;
      const named = (text: string) => forAccount(text, context.globals.account);
      return failed({ ...failure, message: named(message), ...(fix !== undefined && { fix: named(fix) }) });
    },
  });

/** Names the account that a command was called for in the commands that its answer suggests. */
export function forAccount(text: string, account: string | undefined): string {
  if (account === undefined) return text;
  return text.replace(/`(tuitbot [a-z][^`]*)`/g, (_, line: string) =>
    line.includes("--account") ? `\`${line}\`` : `\`${line} --account ${account}\``,
  );
}
