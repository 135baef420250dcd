import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import type { LoopName } from "../../autopilot/pass.ts";
import { command } from "../machine.ts";
import { sandboxOptions } from "../serving-options.ts";

export const tick = command({
  name: "tick",
  describe: "Run each loop of the autopilot that is due, once",
  details:
    "For a timer such as cron: scheduled posts, mentions, targets, discovery, analytics, retention. Two ticks never run at once for one account. In autopilot mode it writes replies and posts and sends them under your policy; in composer mode it only reads, and publishes what you scheduled.",
  options: {
    "dry-run": { kind: "flag", describe: "Print what is due; send, queue and measure nothing" },
    loops: {
      kind: "list",
      placeholder: "NAMES",
      describe:
        "Only these loops, even if not due: scheduled, mentions, targets, discovery, content, threads, analytics, retention",
    },
    "ignore-schedule": { kind: "flag", describe: "Run outside the active hours too" },
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot tick", does: "runs every loop that is due" },
    { line: "tuitbot tick --dry-run --output json", does: "prints what it would do, for a script" },
    { line: "tuitbot tick --loops analytics", does: "counts followers and measures posts now" },
    { line: "tuitbot tick --sandbox", does: "runs in the sandbox" },
  ],
  async run({ "dry-run": isDryRun, "ignore-schedule": ignoresSchedule, loops, ...sandbox }, context) {
    const [{ withLoops }, { allLoops }, { tick: pass }, report] = await Promise.all([
      import("../with-services.ts"),
      import("../../autopilot/all-loops.ts"),
      import("../../autopilot/tick.ts"),
      import("./loop-report.ts"),
    ]);
    const names = allLoops.map(({ name }) => name);
    if (loops?.length === 0)
      return failed({
        message: `--loops names no loop. There are ${names.join(", ")}.`,
        exitCode: EXIT.usage,
      });
    const unknown = loops?.find((name) => !names.some((known) => known === name));
    if (unknown !== undefined)
      return failed({
        message: `There is no loop ${JSON.stringify(unknown)}. There are ${names.join(", ")}.`,
        exitCode: EXIT.usage,
      });
    return withLoops({ ...sandbox, isDryRun }, context, async (setting, approvalMode) => {
      const { now } = setting.workflow;
      const startedAt = now();
      // Each was checked against the names of the loops above.
      const wanted = loops as readonly LoopName[] | undefined;
      const passed = await pass(setting, { isDryRun, ignoresSchedule, loops: wanted }, context.signal);
      if (!passed.ok) return failed(commandFailure(passed.failure));
      const errors = report.errorsOf(passed.value);
      return ok({
        text: report.passText(passed.value),
        json: {
          success: errors.length === 0,
          mode: setting.config.mode,
          approval_mode: approvalMode,
          schedule_active: passed.value.isActive,
          dry_run: isDryRun,
          duration_ms: Math.round(now() - startedAt),
          loops: report.passJson(passed.value),
          errors,
        },
        ...(errors.length > 0 && { exitCode: EXIT.failed }),
      });
    });
  },
});
