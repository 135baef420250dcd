import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/outcome";
import { command } from "../machine.ts";
import { serverNotifier } from "../notify/server-notifier.ts";
import { sandboxOptions } from "../serving-options.ts";
import { pageOptions } from "../web/page-options.ts";

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
    web: { kind: "flag", describe: "Serve the web app beside it, as `tuitbot web` does" },
    ...pageOptions,
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot run", does: "prints what each loop did, what that cost, and what comes next" },
    { line: "tuitbot run --web --port 8091", does: "the same, with the web app on this port" },
    { line: "tuitbot run --output json", does: "prints every pass as a line of JSON" },
  ],
  async run({ "status-interval": every, web, host = "127.0.0.1", port = 0, ...sandbox }, context) {
    const [{ withLoops }, { run: repeat }, { runReport }] = await Promise.all([
      import("../with-services.ts"),
      import("../../autopilot/run.ts"),
      import("./run-report.ts"),
    ]);
    return withLoops(
      sandbox,
      context,
      async (setting, approvalMode, server) => {
        const speed = sandbox.speed ?? 1;
        const page = web
          ? await (await import("../web/serve-page.ts")).servePageBeside(
              server,
              { host, port, speed },
              context,
            )
          : undefined;
        if (page?.ok === false) return page;
        const notifier = serverNotifier(server, speed, context);
        notifier.start();
        const seconds = every ?? setting.config.logging.status_interval_seconds;
        const report = runReport(setting, seconds * 1_000, context);
        await report.started(approvalMode);
        const ended = await repeat(
          {
            ...setting,
            async pause(ms, signal) {
              await report.passEnded();
              await context.machine.pause(ms, signal);
            },
            onLoop: report.onLoop,
            onPass: report.onPass,
            onBreakerOpen: notifier.breakerOpen,
            onLeftOut: ({ message }) => context.terminal.err(`${message}\n`),
          },
          context.signal,
        );
        await report.passEnded();
        if (!ended.ok) await notifier.runnerEnded(ended.failure);
        await notifier.stop();
        await page?.value();
        if (!ended.ok) return failed(commandFailure(ended.failure));
        const { passes } = report;
        // Stopping it is the normal end.
        return ok({
          text: `Stopped after ${passes() === 1 ? "1 pass" : `${passes()} passes`}.`,
          json: { stopped: true, passes: passes() },
          exitCode: EXIT.ok,
        });
      },
      { isHost: web },
    );
  },
});
