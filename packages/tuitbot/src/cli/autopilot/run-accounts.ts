import { type CommandOutcome, EXIT } from "@toolpact/cli";
import { MINUTE_MS } from "@toolpact/contract/internal";
import { ok } from "@toolpact/outcome";
import type { Context } from "../context.ts";

/**
 * Runs the autopilot of several accounts in parallel until it is stopped. Each has its own pace, lease and failures: a
 * slow or signed-out account does not hold up the others.
 */
export async function runAccounts(
  names: readonly string[],
  runOne: (context: Context) => Promise<CommandOutcome>,
  context: Context,
): Promise<CommandOutcome> {
  const { machine, signal } = context;

  async function keepRunning(account: string): Promise<void> {
    const terminal = labelled(context.terminal, account);
    let said: string | undefined;
    while (!signal.aborted) {
      const ended = await runOne({ ...context, terminal, globals: { ...context.globals, account } });
      if (signal.aborted) return;
      const why = ended.ok ? "It ended." : [ended.failure.message, ended.failure.fix].join(" ").trim();
      // A reason that lasts for days is reported once.
      if (why !== said) terminal.err(`${why} It is tried again every ${RETRY_MS / MINUTE_MS} minutes.\n`);
      said = why;
      await machine.pause(RETRY_MS, signal);
    }
  }

  await Promise.all(names.map(keepRunning));
  return ok({
    text: `Stopped the autopilot of ${names.length} accounts.`,
    json: { stopped: true, accounts: [...names] },
    // Stopping it is the normal end.
    exitCode: EXIT.ok,
  });
}

/** How long an account rests that only a person can help. */
const RETRY_MS = 5 * MINUTE_MS;

/** Says with every line which account it is about; a line of JSON gets it as its first key. */
function labelled(terminal: Context["terminal"], account: string): Context["terminal"] {
  const label = (text: string) =>
    text
      .replace(/^(?=.)/gm, `${account}  `)
      .replace(/^\S+ {2}\{"/gm, `{"account":${JSON.stringify(account)},"`);
  return {
    ...terminal,
    out: (text) => terminal.out(label(text)),
    err: (text) => terminal.err(label(text)),
  };
}
