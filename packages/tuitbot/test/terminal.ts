import { spawn, spawnSync } from "node:child_process";
import { cleanEnv, tuitbotCommand } from "./live-server.ts";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** `script` of util-linux gives a program a terminal. */
const TERMINAL = "script";
export const hasTerminal = spawnSync(TERMINAL, ["--version"]).stdout?.includes("util-linux") === true;

/** Runs tuitbot in a new terminal; `keys` are pressed once the screen shows the matching prompt. */
export function tuitbotOnTerminal(
  words: string,
  keys: readonly (readonly [shows: string, key: string])[],
  home: string,
  env: NodeJS.ProcessEnv,
  columns = 100,
): Promise<Ended> {
  const command = [tuitbotCommand.command, ...tuitbotCommand.args, words].join(" ");
  const sized = `stty cols ${columns} rows 50; exec ${command}`;
  const child = spawn(TERMINAL, ["--quiet", "--return", "--flush", "--command", sized, "/dev/null"], {
    env: cleanEnv(home, { TERM: "xterm-256color", LANG: "C.UTF-8", ...env }),
    cwd: home,
  });
  const waiting = [...keys];
  let [out, seen] = ["", 0];
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
    for (;;) {
      const [next] = waiting;
      const at = next === undefined ? -1 : out.indexOf(next[0], seen);
      if (next === undefined || at === -1) return;
      waiting.shift();
      seen = at + next[0].length;
      child.stdin.write(next[1]);
    }
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out })));
}
