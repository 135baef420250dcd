import type { CommandOutcome } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed } from "@toolpact/outcome";
import type { LoopContext } from "../autopilot/pass.ts";
import type { Core } from "../server/core.ts";
import { StorageError, storageFailure } from "../storage/storage-error.ts";
import type { Services } from "../tools/product.ts";
import type { Context } from "./context.ts";
import { openServer } from "./open-server.ts";
import type { ServingOptions } from "./serving-options.ts";

/** Opens a server, does some work with its services, and closes it. */
export function withServices<Name extends keyof Services>(
  needs: readonly Name[],
  options: ServingOptions,
  context: Context,
  work: (services: Pick<Services, Name>) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withCore(needs, options, context, work);
}

/** Like `withServices`, for work that also calls tools. */
export async function withCore<Name extends keyof Services>(
  needs: readonly Name[],
  options: ServingOptions,
  context: Context,
  work: (services: Pick<Services, Name>, core: Core) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const opened = await openServer(options, context);
  if (!opened.ok) return opened;
  const { core, close } = opened.value;
  try {
    const opened = await core();
    const resolved = await opened.services.resolve(needs, {}, context.signal);
    if (!resolved.ok) return failed(commandFailure(resolved.failure));
    // Exactly the services that were named.
    return await work(resolved.value as Pick<Services, Name>, opened);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return failed(commandFailure(storageFailure(error).failure));
  } finally {
    await close();
  }
}

/** Does some work with everything that the loops of the autopilot need. */
export function withLoops(
  sandbox: Pick<ServingOptions, "sandbox" | "sandbox-plan">,
  context: Context,
  work: (setting: LoopContext, approvalMode: boolean) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const options = { ...sandbox, profile: "write" } as const;
  return withServices(["x", "db", "workflow", "config"], options, context, ({ x, db, workflow, config }) =>
    work({ ...db, x, workflow, config: config.values, random: Math.random }, config.approvalMode),
  );
}
