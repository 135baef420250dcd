import { failed, ok } from "@toolpact/outcome";
import { command } from "./machine.ts";

export const demo = command({
  name: "demo",
  describe: "Show tuitbot at work in the sandbox, in one minute",
  options: { fast: { kind: "flag", describe: "Without pauses for reading" } },
  examples: [
    {
      line: "tuitbot demo",
      does: "discover, draft, queue, approve, publish and measure, with some failures on the way",
    },
    { line: "tuitbot demo --fast", does: "the same without pauses" },
  ],
  async run({ fast }, { terminal, machine, signal, isJson }) {
    const { runDemo } = await import("./demo/steps.ts");
    // Calls that are interrupted by Ctrl-C fail, and are not printed.
    const out = (text: string) => isJson || signal.aborted || terminal.out(text);
    const pause = fast ? async () => {} : (ms: number) => machine.pause(ms, signal);
    const played = await runDemo({ ...terminal, out }, pause, signal);
    return played.ok ? ok({ text: "", json: played.value }) : failed({ message: played.failure });
  },
});
