import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import { command } from "../machine.ts";
import { sandboxOptions } from "../serving-options.ts";

export const run = command({
  name: "run",
  describe: "Do again and again what is due, until you stop it",
  details:
    "As `tuitbot tick`, at irregular times within the active hours, slower after failures. Ctrl-C lets the step that is under way finish; nothing is sent twice when it is started again.",
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
    { line: "tuitbot run", does: "prints a line whenever something was done" },
    { line: "tuitbot run --output json", does: "prints every pass as a line of JSON" },
  ],
  async run({ "status-interval": every, ...where }, context) {
    const { terminal, machine, signal, isJson } = context;
    const [{ atLoopDesk }, { run: repeat }, view] = await Promise.all([
      import("./loop-desk.ts"),
      import("../../autopilot/run.ts"),
      import("./loop-view.ts"),
    ]);
    return atLoopDesk(where, context, async ({ setting }) => {
      const { now } = setting.workflow;
      const seconds = every ?? setting.config.logging.status_interval_seconds;
      let saidAt = now();
      let passes = 0;
      const say = (text: string) => {
        saidAt = now();
        terminal.out(`${new Date(saidAt).toISOString()} ${text}\n`);
      };
      const ended = await repeat(
        {
          ...setting,
          pause: machine.pause,
          onPass(report) {
            passes += 1;
            if (isJson) {
              const at = new Date(now()).toISOString();
              terminal.out(`${JSON.stringify({ at, loops: view.passJson(report) })}\n`);
              return;
            }
            const line = view.passLine(report);
            if (line !== "") say(line);
            else if (seconds > 0 && now() - saidAt >= seconds * 1_000) say(`${counted(passes)} so far.`);
          },
          onLeftOut: ({ message }) => terminal.err(`${message}\n`),
        },
        signal,
      );
      if (!ended.ok) return failed(commandFailure(ended.failure));
      // Being stopped is how it is meant to end.
      return ok({
        text: `Stopped after ${counted(passes)}.`,
        json: { stopped: true, passes },
        exitCode: EXIT.ok,
      });
    });
  },
});

function counted(passes: number): string {
  return passes === 1 ? "1 pass" : `${passes} passes`;
}
