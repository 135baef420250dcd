import { formatDuration } from "@toolpact/contract/internal/text";
import { spendingOf } from "../../app/spending.ts";
import type { LoopContext } from "../../autopilot/pass.ts";
import { type RunContext, upcoming } from "../../autopilot/run.ts";
import type { TickReport } from "../../autopilot/tick.ts";
import type { Context } from "../context.ts";
import { accountName, dollars, ofCap } from "../daily/daily-session.ts";
import { loopLine, passJson } from "./loop-report.ts";

/** The output of `tuitbot run`: each action as soon as it is done, then the cost of the pass and what comes next. */
export interface RunReport extends Pick<RunContext, "onLoop" | "onPass"> {
  readonly started: (approvalMode: boolean) => Promise<void>;
  /** Prints the end of a pass, if one has ended since. */
  readonly passEnded: () => Promise<void>;
  readonly passes: () => number;
}

/** How many loops are named as the next ones. */
const NEXT = 3;

export function runReport(
  setting: LoopContext,
  statusEveryMs: number,
  { terminal, isJson }: Pick<Context, "terminal" | "isJson">,
): RunReport {
  const { workflow, config } = setting;
  let printedAt = workflow.now();
  let passes = 0;
  let hasActed = false;
  let ended: TickReport | undefined;
  let spentBefore = 0;

  const print = (text: string) => {
    printedAt = workflow.now();
    terminal.out(`${new Date(printedAt).toISOString().slice(0, 19)}Z ${text}\n`);
  };

  /** A loop that is due and was skipped has nothing to work with, such as no keywords. */
  async function nextLoops(pass?: TickReport): Promise<Awaited<ReturnType<typeof upcoming>>> {
    const now = workflow.now();
    const dues = await upcoming(setting);
    return dues.filter(({ name, at }) => at > now || pass?.loops.get(name)?.status !== "skipped");
  }

  async function nextText(pass?: TickReport): Promise<string> {
    const now = workflow.now();
    const dues = (await nextLoops(pass)).slice(0, NEXT);
    return dues
      .map(({ name, at }) => (at <= now ? `${name} now` : `${name} in ${formatDuration(at - now)}`))
      .join(", ");
  }

  return {
    async started(approvalMode) {
      const { month_usd, day_usd, day_cap_usd } = await spendingOf(setting, workflow);
      spentBefore = month_usd;
      if (isJson) return;
      const rules = approvalMode
        ? "a person approves what is sent"
        : "sends by itself what the policy allows";
      print(
        `${accountName(setting)}, ${config.mode}: ${rules}. Spent today: ${ofCap(day_usd, day_cap_usd)}.`,
      );
      print(`next: ${await nextText()}. Ctrl-C stops it.`);
    },
    onLoop(name, end) {
      const line = loopLine(name, end);
      if (line === undefined) return;
      hasActed = true;
      if (!isJson) print(line);
    },
    onPass(pass) {
      passes += 1;
      ended = pass;
    },
    async passEnded() {
      if (ended === undefined) return;
      const pass = ended;
      ended = undefined;
      const { month_usd, day_usd, day_cap_usd } = await spendingOf(setting, workflow);
      // A month may have ended meanwhile.
      const cost = Math.max(0, month_usd - spentBefore);
      spentBefore = month_usd;
      if (isJson) {
        const dues = await nextLoops(pass);
        terminal.out(
          `${JSON.stringify({
            at: new Date(workflow.now()).toISOString(),
            loops: passJson(pass),
            cost_usd: Number(cost.toFixed(6)),
            spent_today_usd: day_usd,
            next: dues.map(({ name, at }) => ({ loop: name, at: timeOf(at, workflow.now()) })),
          })}\n`,
        );
        return;
      }
      const isQuiet = !hasActed && cost === 0 && passes > 1;
      hasActed = false;
      if (isQuiet && !(statusEveryMs > 0 && workflow.now() - printedAt >= statusEveryMs)) return;
      print(
        `pass ${passes}: ${dollars(cost)}, today ${ofCap(day_usd, day_cap_usd)}; next: ${await nextText(pass)}`,
      );
    },
    passes: () => passes,
  };
}

/** A loop that never ran is due now. */
function timeOf(at: number, now: number): string {
  return new Date(Math.max(at, now)).toISOString();
}
