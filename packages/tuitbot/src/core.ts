import {
  type Catalog,
  type Clock,
  createPipeline,
  type McpCore,
  ok,
  type Pipeline,
  provideServices,
} from "@toolpact/contract";
import type { ConfigInForce } from "./config/config-in-force.ts";
import { errors } from "./errors.ts";
import { lanesFor } from "./lanes.ts";
import { product } from "./product.ts";
import type { Profile } from "./profiles.ts";
import { promptsFor } from "./prompts.ts";
import { resourcesFor } from "./resources.ts";
import { askWhoAmI, connectX } from "./services/connect-x.ts";
import { connectionFrom } from "./services/connection.ts";
import type { Connection, ServerState } from "./services/server-state.ts";
import { createSpending } from "./services/spending.ts";
import type { XAccount } from "./services/x-account.ts";
import { version } from "./version.ts";

export interface CoreSetting {
  readonly profile: Profile;
  /** The tools of the profile, possibly narrowed. */
  readonly catalog: Catalog;
  readonly config: ConfigInForce;
  readonly account: XAccount;
  readonly clock?: Clock;
}

/** Everything that calls need. */
export interface Core extends McpCore {
  readonly pipeline: Pipeline;
  /** How it stands with X now. */
  readonly connection: (signal?: AbortSignal) => Promise<Connection>;
}

export function createCore({ profile, catalog, config, account, clock }: CoreSetting): Core {
  const spending = createSpending();
  const x = connectX(account, spending);
  const server: ServerState = {
    profile,
    version,
    toolNames: catalog.tools.map(({ name }) => name),
    access: x.access,
    connection: async (signal) => connectionFrom(await askWhoAmI(x.client, signal), x.scopes()),
  };
  const services = provideServices(product, {
    x: async () => ok(x),
    config: async () => ok(config),
    server: async () => ok(server),
  });
  const laneOf = lanesFor(profile, {
    state: () => ({ mode: config.values.mode, approval_mode: config.approvalMode }),
    spending,
    clock,
  });
  const pipeline = createPipeline({
    catalog,
    errors,
    laneOf,
    services,
    onBug: ({ reference, where, error }) =>
      // The trace alone: what else an error carries may hold a request and its token.
      console.error(
        `tuitbot: ${where} failed (${reference}): ${error instanceof Error ? error.stack : "unknown"}`,
      ),
    ...(clock && { clock }),
  });
  return {
    pipeline,
    services,
    resources: resourcesFor(profile, catalog),
    prompts: promptsFor(catalog),
    connection: server.connection,
  };
}
