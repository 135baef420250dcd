import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ModelRequest } from "./dialects.ts";
import { type ClientMachine, environment } from "./drive-client.ts";
import { resultsOf, type Step } from "./scripted-model.ts";

/** Typed into the client: no part of any screen. */
const REQUEST = "please begin";

/** The last line of our form. */
const FORM = /Approve\?/;

export interface FormSeen {
  readonly isShown: boolean;
  /** The screen with the form, or the last one if it never appeared. */
  readonly screen: string;
  /** The results of the steps after pressing only Enter, then Escape. */
  readonly results: readonly (string | undefined)[];
}

export const hasTmux: boolean = spawnSync("tmux", ["-V"]).status === 0;

/**
 * Runs the client in a terminal, answers its confirmations with Enter until our approval form appears, and then presses
 * Enter three times, as a hurried user would.
 */
export async function hurryThroughForm(machine: ClientMachine, steps: readonly Step[]): Promise<FormSeen> {
  return inWindow(machine, steps, async ({ screen, press, agree, turns }) => {
    await until(() => {
      agree();
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
  });
}

/** Presses Escape while a call waits. True if the server received the cancellation. */
export async function cancelInWindow(
  machine: ClientMachine,
  steps: readonly Step[],
  { isWaiting, isCancelled }: { readonly isWaiting: () => boolean; readonly isCancelled: () => boolean },
): Promise<boolean> {
  return inWindow(machine, steps, async ({ press, agree }) => {
    await until(() => {
      agree();
      return isWaiting();
    });
    for (let times = 0; times < 5 && !isCancelled(); times += 1) {
      // Copilot requires it twice.
      for (const pause of [300, 2_000]) {
        press("Escape");
        await setTimeout(pause);
      }
    }
    return isCancelled();
  });
}

interface ClientWindow {
  readonly screen: () => string;
  readonly press: (...keys: string[]) => void;
  /** Presses Enter if the client shows its own prompt, or has not sent the request yet. */
  readonly agree: () => void;
  readonly turns: readonly ModelRequest[];
}

/** Starts the client in a terminal, types a request, and ends it afterwards. */
async function inWindow<T>(
  machine: ClientMachine,
  steps: readonly Step[],
  use: (window: ClientWindow) => Promise<T>,
): Promise<T> {
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
  const agree = () => {
    if (turns.length === 0 || client.window?.permission?.test(screen()) === true) press("Enter");
  };
  try {
    await until(() => client.window?.ready.test(screen()) === true);
    await until(() => {
      if (screen().includes(REQUEST)) return true;
      // Some clients draw their screen before they read keys.
      press("-l", REQUEST);
      return false;
    });
    return await use({ screen, press, agree, turns });
  } finally {
    tmux("kill-server");
  }
}

/** Checks twice a second, for at most two minutes. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let look = 0; look < 240 && !isTrue(); look += 1) await setTimeout(500);
}
