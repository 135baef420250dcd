import { EXIT } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed, ok } from "@toolpact/contract/outcome";
import type { LoopName } from "../../autopilot/pass.ts";
import { command } from "../machine.ts";
import { sandboxOptions } from "../serving-options.ts";

export const tick = command({
  name: "tick",
  describe: "Do once what is due: scheduled posts, mentions, targets, discovery, analytics, tidying",
  details:
    "For a timer of your own, such as cron. Two never run at once for an account. In autopilot it writes replies and posts and sends them under your policy; in composer mode it only reads and publishes what you scheduled.",
  options: {
    "dry-run": { kind: "flag", describe: "Look and say what is due; send, queue and measure nothing" },
    loops: {
      kind: "list",
      placeholder: "NAMES",
      describe:
        "Only these, due or not: scheduled, mentions, targets, discovery, content, threads, analytics, retention",
    },
    "ignore-schedule": { kind: "flag", describe: "Also outside the active hours" },
    ...sandboxOptions,
  },
  examples: [
    { line: "tuitbot tick", does: "everything that is due" },
    { line: "tuitbot tick --dry-run --output json", does: "what it would do, for a script" },
    { line: "tuitbot tick --loops analytics", does: "counts followers and measures posts now" },
    { line: "tuitbot tick --sandbox", does: "in the sandbox" },
  ],
  async run({ "dry-run": isDryRun, "ignore-schedule": ignoresSchedule, loops, ...where }, context) {
    const [{ atLoopDesk }, { allLoops }, { tick: pass }, view] = await Promise.all([
      import("./loop-desk.ts"),
      import("../../autopilot/all-loops.ts"),
      import("../../autopilot/tick.ts"),
      import("./loop-view.ts"),
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
    return atLoopDesk(where, context, async ({ setting, approvalMode }) => {
      const { now } = setting.workflow;
      const startedAt = now();
      // Each was found among the names of the loops.
      const wanted = loops as readonly LoopName[] | undefined;
      const passed = await pass(setting, { isDryRun, ignoresSchedule, loops: wanted }, context.signal);
      if (!passed.ok) return failed(commandFailure(passed.failure));
      const errors = view.errorsOf(passed.value);
      return ok({
        text: view.passText(passed.value),
        json: {
          success: errors.length === 0,
          mode: setting.config.mode,
          approval_mode: approvalMode,
          schedule_active: passed.value.isActive,
          dry_run: isDryRun,
          duration_ms: Math.round(now() - startedAt),
          loops: view.passJson(passed.value),
          errors,
        },
        ...(errors.length > 0 && { exitCode: EXIT.failed }),
      });
    });
  },
});
