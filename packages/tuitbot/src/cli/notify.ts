import { EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";

const test = command({
  name: "test",
  describe: "Send a test message to everyone configured, on each of their channels",
  details:
    "Reports for each whether the service accepted it. People, channels and times are set under [notify]; nothing about X is sent.",
  options: {
    person: { kind: "value", placeholder: "NAME", describe: "Only to this person" },
  },
  examples: [
    { line: "tuitbot notify test", does: "sends a test message to everybody" },
    { line: "tuitbot notify test --person Ana", does: "sends it to Ana only" },
  ],
  async run({ person: name }, context) {
    const config = await loadedConfig(context);
    if (!config.ok) return config;
    const { notify } = config.value.values;
    const people = notify.people.filter((person) => name === undefined || person.name === name);
    if (people.length === 0)
      return failed({
        message: name === undefined ? "Nobody is configured." : `Nobody is called ${JSON.stringify(name)}.`,
        fix: "Add them under [[notify.people]]; see docs/approve-anywhere.md.",
        exitCode: EXIT.failed,
      });
    const { sendTest } = await import("../notify/send-test.ts");
    const { results, missing } = await sendTest(notify, people, context);
    const lines = [
      ...results.map(
        ({ person, channel, ok, error }) =>
          `${ok ? "sent  " : "failed"}  ${person}, ${channel}${error === undefined ? "" : `: ${error}`}`,
      ),
      ...missing.map((key) => `failed  ${key} is not set.`),
    ];
    const isFine = lines.length > 0 && missing.length === 0 && results.every((result) => result.ok);
    return ok({
      text: lines.length === 0 ? "Nobody has an address by which they could be reached." : lines.join("\n"),
      json: { results, missing: [...missing] },
      exitCode: isFine ? EXIT.ok : EXIT.failed,
    });
  },
});

export const notify = {
  name: "notify",
  describe: "Notify people about pending items, and test each channel",
  examples: test.examples.slice(0, 1),
  commands: [test],
};
