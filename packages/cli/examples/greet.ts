import { commandFor, commonOptions, main } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";

const command = commandFor<{ now: () => number }, typeof commonOptions>();

const greet = command({
  name: "hello",
  describe: "Say hello",
  args: { whom: { describe: "Who is greeted", required: true } },
  options: { tone: { kind: "value", placeholder: "TONE", describe: "How", choices: ["warm", "cold"] } },
  examples: [{ line: "greet hello Ada --tone warm", does: "greets Ada warmly" }],
  run: async ({ whom, tone = "warm" }) => {
    const greeting = tone === "warm" ? `Hello ${whom}!` : `${whom}.`;
    return ok({ text: greeting, json: { greeting } });
  },
});

await main(
  {
    name: "greet",
    version: "1.0.0",
    describe: "Greets people.",
    globalOptions: commonOptions,
    commands: [greet],
    examples: [{ line: "greet hello Ada", does: "greets Ada" }],
  },
  { now: Date.now },
);
