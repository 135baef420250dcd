import { failed, ok } from "@toolpact/contract/outcome";
import { command } from "./machine.ts";

export const demo = command({
  name: "demo",
  describe: "Watch tuitbot at work for a minute, in the sandbox",
  options: { fast: { kind: "flag", describe: "Without pauses to read" } },
  examples: [
    {
      line: "tuitbot demo",
      does: "discover, draft, queue, approve, publish, measure, and what goes wrong on the way",
    },
    { line: "tuitbot demo --fast", does: "the same at once" },
  ],
  async run({ fast }, { terminal, machine, signal, isJson }) {
    const { playStory } = await import("./demo/story.ts");
    // What is under way when the person stops ends as a failure that nobody needs to see.
    const out = (text: string) => isJson || signal.aborted || terminal.out(text);
    const pause = fast ? async () => {} : (ms: number) => machine.pause(ms, signal);
    const played = await playStory({ ...terminal, out }, pause, signal);
    return played.ok ? ok({ text: "", json: played.value }) : failed({ message: played.failure });
  },
});
