import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ClientMachine, environment } from "./drive-client.ts";
import { resultsOf, type Step } from "./scripted-model.ts";

/** The last line of our form. */
const FORM = /Approve\?/;

export interface FormSeen {
  readonly isShown: boolean;
  /** The screen with the form, or the last one if it never appeared. */
  readonly screen: string;
  /** The results of the steps after Enter alone was pressed, then Escape. */
  readonly results: readonly (string | undefined)[];
}

export const hasTmux: boolean = spawnSync("tmux", ["-V"]).status === 0;

/**
 * Runs the client in a terminal, answers its own questions with Enter until our approval form appears, and then presses
 * Enter three times, as a hurried user would.
 */
export async function hurryThroughForm(machine: ClientMachine, steps: readonly Step[]): Promise<FormSeen> {
  const { client, program, cwd, model } = machine;
  const socket = join(cwd, "..", "tmux");
  const tmux = (...args: string[]) =>
    spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  const screen = () => tmux("capture-pane", "-p").stdout.trimEnd();
  const press = (...keys: string[]) => void tmux("send-keys", ...keys);
  const turns = model.play(steps);
  const env = Object.entries({ ...environment(machine), ...client.env(machine) }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const command = [program, ...(client.window?.args ?? [])];
  tmux("new-session", "-d", "-x", "120", "-y", "50", "-c", cwd, "env", "-i", ...env, ...command);
  try {
    await until(() => client.window?.ready.test(screen()) === true);
    // Enter right after the text would count as part of a pasted text.
    for (const keys of [[], ["-l", "go"], ["Enter"]]) {
      if (keys.length > 0) press(...keys);
      await setTimeout(2_000);
    }
    await until(() => {
      const isWaiting = turns.length === 0 || client.window?.permission?.test(screen()) === true;
      if (isWaiting) press("Enter");
      return FORM.test(screen());
    });
    const shown = screen();
    for (const key of ["Enter", "Enter", "Enter", "Escape"]) {
      press(key);
      await setTimeout(1_000);
    }
    await until(() => turns.length > steps.length);
    const last = turns.at(-1);
    return {
      isShown: FORM.test(shown),
      screen: shown,
      results: last === undefined ? [] : resultsOf(last, steps),
    };
  } finally {
    tmux("kill-server");
  }
}

/** Looks twice a second, for at most two minutes. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let look = 0; look < 240 && !isTrue(); look += 1) await setTimeout(500);
}
