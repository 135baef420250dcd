import type { CommandOutcome } from "@toolpact/cli";
import type { LoopSetting } from "../../autopilot/pass.ts";
import type { Context } from "../context.ts";
import type { ServingOptions } from "../serving-options.ts";
import { withServices } from "../with-services.ts";

export interface LoopDesk {
  readonly setting: LoopSetting;
  readonly approvalMode: boolean;
}

/** Opens everything that loops need, for as long as they run. */
export function atLoopDesk(
  where: Pick<ServingOptions, "sandbox" | "sandbox-plan">,
  context: Context,
  work: (desk: LoopDesk) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const options = { ...where, profile: "write" } as const;
  return withServices(["x", "db", "workflow", "config"], options, context, ({ x, db, workflow, config }) =>
    work({
      setting: { ...db, x, workflow, config: config.values, random: Math.random },
      approvalMode: config.approvalMode,
    }),
  );
}
