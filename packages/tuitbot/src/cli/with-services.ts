import type { CommandOutcome } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/internal/cli";
import { failed, ok } from "@toolpact/outcome";
import type { Services } from "../app/services.ts";
import { countCharges } from "../app/spending.ts";
import type { LoopContext } from "../autopilot/pass.ts";
import type { Core } from "../server/core.ts";
import { StorageError, storageFailure } from "../storage/storage-error.ts";
import type { Context } from "./context.ts";
import { type OpenedServer, openServer, type SandboxUse } from "./open-server.ts";
import type { ServingOptions, sandboxOptions } from "./serving-options.ts";
import { withSpending } from "./spending.ts";

/** Opens a server, does some work with its services, and closes it. Where nobody is signed in, on the running sandbox. */
export function withServices<Name extends keyof Services>(
  needs: readonly Name[],
  options: ServingOptions,
  context: Context,
  work: (services: Pick<Services, Name>) => Promise<CommandOutcome>,
  use?: SandboxUse,
): Promise<CommandOutcome> {
  return withCore(needs, options, context, work, use);
}

/** Like `withServices`, for work that also calls tools. */
export async function withCore<Name extends keyof Services>(
  needs: readonly Name[],
  options: ServingOptions,
  context: Context,
  work: (services: Pick<Services, Name>, core: Core, server: OpenedServer) => Promise<CommandOutcome>,
  use: SandboxUse = {},
): Promise<CommandOutcome> {
  const server = await openServer(options, context, { joins: "signed_out", ...use });
  if (!server.ok) return server;
  const { core, close } = server.value;
  try {
    const opened = await core();
    const resolved = await opened.services.resolve(needs, {}, context.signal);
    if (!resolved.ok) return failed(commandFailure(resolved.failure));
    // Exactly the services that were named.
    const services = resolved.value as Pick<Services, Name>;
    const { db } = services as Partial<Services>;
    if (db === undefined) return await work(services, opened, server.value);
    const charged = await countCharges(db);
    return withSpending(await work(services, opened, server.value), await charged());
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return failed(commandFailure(storageFailure(error).failure));
  } finally {
    await close();
  }
}

/**
 * Does some work with everything that the loops of the autopilot need. X, which charges for it, is asked first who is
 * signed in, unless it is a dry run.
 */
export function withLoops(
  {
    isDryRun = false,
    ...sandbox
  }: Pick<ServingOptions, keyof typeof sandboxOptions> & { readonly isDryRun?: boolean },
  context: Context,
  work: (setting: LoopContext, approvalMode: boolean, server: OpenedServer) => Promise<CommandOutcome>,
  use?: SandboxUse,
): Promise<CommandOutcome> {
  const options = { ...sandbox, profile: "write" } as const;
  return withCore(
    LOOP_NEEDS,
    options,
    context,
    async ({ x, db, workflow, config }, _core, server) => {
      const signedIn = isDryRun ? ok(undefined) : await workflow.checkSignIn(context.signal);
      if (!signedIn.ok) return failed(commandFailure(signedIn.failure));
      const setting = { ...db, x, workflow, config: config.values, random: Math.random };
      return work(setting, config.approvalMode, server);
    },
    use,
  );
}

const LOOP_NEEDS = ["x", "db", "workflow", "config"] as const;
