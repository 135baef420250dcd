import { type CommandFailure, type CommandOutcome, EXIT, type OptionValues } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { accountOf, DEFAULT_ACCOUNT } from "../../config/account-name.ts";
import { serverNotifier } from "../../notify/server-notifier.ts";
import { type Context, configPlace, loadedConfig } from "../context.ts";
import { command } from "../machine.ts";
import { pageOptions, sandboxOptions } from "../serving-options.ts";

const options = {
  "status-interval": {
    kind: "number",
    placeholder: "SECONDS",
    describe: "How often to print a status line; logging.status_interval_seconds by default",
    min: 0,
    max: 86_400,
  },
  web: { kind: "flag", describe: "Also serve the web app, as `tuitbot web` does" },
  ...pageOptions,
  ...sandboxOptions,
} as const;

export const run = command({
  name: "run",
  describe: "Run the autopilot until you stop it",
  details:
    "Repeats `tuitbot tick` at irregular times within the active hours, and more slowly after failures. Ctrl-C lets the current step finish; a restart sends nothing twice. Runs for every account of the configuration, unless --account names one.",
  options,
  examples: [
    { line: "tuitbot run", does: "prints what each loop did, what that cost, and what comes next" },
    { line: "tuitbot run --web --port 8091", does: "the same, with the web app on this port" },
    { line: "tuitbot run --output json", does: "prints every pass as a line of JSON" },
  ],
  async run(options, context) {
    const accounts = await accountsToRun(options, context);
    if (!accounts.ok) return accounts;
    if (accounts.value.length === 1) return runOne(options, context);
    const { runAccounts } = await import("./run-accounts.ts");
    return runAccounts(accounts.value, (own) => runOne(options, own), context);
  },
});

type RunOptions = OptionValues<typeof options>;

/** The account that was named, or all of the configuration. */
async function accountsToRun(
  { web, sandbox, speed, "sandbox-plan": plan }: RunOptions,
  context: Context,
): Promise<Outcome<readonly string[], CommandFailure>> {
  const place = configPlace(context);
  const isNamed = accountOf(place) !== DEFAULT_ACCOUNT || place.account !== undefined;
  if (isNamed || sandbox || speed !== undefined || plan !== undefined) return ok([accountOf(place)]);
  const loaded = await loadedConfig(context);
  // The command itself reports configuration problems.
  const accounts = (loaded.ok && loaded.value.accounts) || [DEFAULT_ACCOUNT];
  return web && accounts.length > 1
    ? failed({
        message: "Along with `tuitbot run`, the dashboard is for one account.",
        fix: "Name it with --account; or leave --web out and run `tuitbot web`, which has every account.",
        exitCode: EXIT.usage,
      })
    : ok(accounts);
}

async function runOne(
  { "status-interval": every, web, host = "127.0.0.1", port = 0, ...sandbox }: RunOptions,
  context: Context,
): Promise<CommandOutcome> {
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
        ? await (await import("../serve-page.ts")).servePageBeside(server, { host, port, speed }, context)
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
            // The sandbox's clock runs as many times as fast.
            await context.machine.pause(ms / speed, signal);
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
}
