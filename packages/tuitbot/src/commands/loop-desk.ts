import type { CommandFailure } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";
import type { LoopSetting } from "../loop/pass.ts";
import type { Services } from "../product.ts";
import { commandFailure } from "./approval-desk.ts";
import type { Context } from "./context.ts";
import { openServer } from "./open-server.ts";

export interface LoopDesk {
  readonly setting: LoopSetting;
  readonly approvalMode: boolean;
  readonly close: () => Promise<void>;
}

/** Everything that loops need, ready to run. */
export async function openLoopDesk(
  where: { readonly sandbox: boolean; readonly "sandbox-plan": "enterprise" | "self_serve" | undefined },
  context: Context,
): Promise<Outcome<LoopDesk, CommandFailure>> {
  const opened = await openServer(
    { ...where, profile: "write", toolsets: undefined, tools: undefined, "exclude-tools": undefined },
    context,
  );
  if (!opened.ok) return opened;
  const { core, close } = opened.value;
  const resolved = await (await core()).services.resolve(NEEDS, context.signal);
  if (!resolved.ok) {
    await close();
    return failed(commandFailure(resolved.failure));
  }
  // Exactly the services that were named.
  const { x, db, workflow, config } = resolved.value as Pick<Services, (typeof NEEDS)[number]>;
  return ok({
    setting: { ...db, x, workflow, config: config.values, random: Math.random },
    approvalMode: config.approvalMode,
    close,
  });
}

const NEEDS = ["x", "db", "workflow", "config"] as const;
