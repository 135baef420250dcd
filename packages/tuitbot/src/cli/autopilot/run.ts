import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/outcome";
import { command } from "../machine.ts";
import { sandboxOptions } from "../serving-options.ts";

export const run = command({
  name: "run",
  describe: "Run the autopilot until you stop it",
  details:
    "Repeats `tuitbot tick` at irregular times within the active hours, and more slowly after failures. Ctrl-C lets the current step finish; a restart sends nothing twice.",
  options: {
    "status-interval": {
      kind: "number",
      placeholder: "SECONDS",
      describe: "How often to print a status line; logging.status_interval_seconds by default",
      min: 0,
      max: 86_400,
    },
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot run", does: "prints a line for every pass that did something" },
    { line: "tuitbot run --output json", does: "prints every pass as a line of JSON" },
  ],
  async run({ "status-interval": every, ...sandbox }, context) {
    const { terminal, machine, signal, isJson } = context;
    const [{ withLoops }, { run: repeat }, report] = await Promise.all([
      import("../with-services.ts"),
      import("../../autopilot/run.ts"),
      import("./loop-report.ts"),
    ]);
    return withLoops(sandbox, context, async (setting) => {
      const { now } = setting.workflow;
      const seconds = every ?? setting.config.logging.status_interval_seconds;
      let printedAt = now();
      let passes = 0;
      const print = (text: string) => {
        printedAt = now();
        terminal.out(`${new Date(printedAt).toISOString()} ${text}\n`);
      };
      const ended = await repeat(
        {
          ...setting,
          pause: machine.pause,
          onPass(pass) {
            passes += 1;
            if (isJson) {
              const at = new Date(now()).toISOString();
              terminal.out(`${JSON.stringify({ at, loops: report.passJson(pass) })}\n`);
              return;
            }
            const line = report.passLine(pass);
            if (line !== "") print(line);
            else if (seconds > 0 && now() - printedAt >= seconds * 1_000)
              print(`${passCount(passes)} so far.`);
          },
          onLeftOut: ({ message }) => terminal.err(`${message}\n`),
        },
        signal,
      );
      if (!ended.ok) return failed(commandFailure(ended.failure));
      // Stopping it is the normal end.
      return ok({
        text: `Stopped after ${passCount(passes)}.`,
        json: { stopped: true, passes },
        exitCode: EXIT.ok,
      });
    });
  },
});

function passCount(passes: number): string {
  return passes === 1 ? "1 pass" : `${passes} passes`;
}
