import type { CommandOutcome } from "@toolpact/cli";
import { commandFailure } from "@toolpact/contract/cli";
import { failed } from "@toolpact/contract/outcome";
import type { Services } from "../tools/product.ts";
import type { Context } from "./context.ts";
import { databaseTrouble } from "./database-trouble.ts";
import { openServer } from "./open-server.ts";
import type { ServingOptions } from "./serving-options.ts";

/** Opens a server, does some work with its services, and closes it. */
export async function withServices<Name extends keyof Services>(
  needs: readonly Name[],
  options: ServingOptions,
  context: Context,
  work: (services: Pick<Services, Name>) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const opened = await openServer(options, context);
  if (!opened.ok) return opened;
  const { core, close } = opened.value;
  try {
    const resolved = await (await core()).services.resolve(needs, {}, context.signal);
    if (!resolved.ok) return failed(commandFailure(resolved.failure));
    // Exactly the services that were named.
    return await work(resolved.value as Pick<Services, Name>);
  } catch (error) {
    return databaseTrouble(error);
  } finally {
    await close();
  }
}
