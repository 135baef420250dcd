import { LOOP_NAMES } from "../../autopilot/pass.ts";
import { command } from "../machine.ts";

const names = LOOP_NAMES.join(", ");
const args = { loop: { describe: `The loop: ${names}`, required: true } } as const;

/** Loads the commands when one of them runs, to keep the start of others fast. */
const load = () => import("./loop-commands.ts");

const list = command({
  name: "list",
  describe: "List the loops, each with its state, last run and next run",
  examples: [{ line: "tuitbot loops list", does: "one line for each loop" }],
  run: async (_, context) => (await load()).list(context),
});

const off = command({
  name: "off",
  describe: "Switch a loop off; every process applies this at its next pass",
  args,
  examples: [{ line: "tuitbot loops off discovery", does: "nothing is searched until you switch it on" }],
  run: async ({ loop }, context) => (await load()).switchTo(loop, false, context),
});

const on = command({
  name: "on",
  describe: "Switch a loop on again",
  args,
  examples: [{ line: "tuitbot loops on discovery", does: "it runs when it is due" }],
  run: async ({ loop }, context) => (await load()).switchTo(loop, true, context),
});

/** The loops of the autopilot, one by one. */
export const loops = {
  name: "loops",
  describe: "List the autopilot's loops, and switch them on and off",
  examples: [...list.examples, ...off.examples],
  commands: [list, off, on],
};
