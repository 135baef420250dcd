import { type Catalog, createMcpApp, type McpApp } from "@toolpact/contract";
import { type ConfigInForce, configInForce } from "./config/config-in-force.ts";
import type { ConfigPlace, LoadedConfig } from "./config/load.ts";
import type { Core } from "./core.ts";
import type { Profile } from "./profiles.ts";
import type { XAccount } from "./services/x-account.ts";
import { loadSurface } from "./surfaces/load.ts";

export interface ServerSetting {
  readonly profile: Profile;
  /** Only where the profile is narrowed: the tools that are left. */
  readonly selected?: Catalog | undefined;
  readonly config: LoadedConfig;
  readonly place: ConfigPlace;
  /** Called with the first call. */
  readonly account: () => Promise<XAccount>;
}

export interface TuitbotServer {
  readonly app: McpApp;
  readonly config: ConfigInForce;
  /** Loads the tools on first use; handshake and lists do not need them. */
  readonly core: () => Promise<Core>;
}

export async function createServer(setting: ServerSetting): Promise<TuitbotServer> {
  const { profile, selected } = setting;
  const config = configInForce(setting.config, setting.place);
  let loading: Promise<Core> | undefined;
  const core = () => {
    loading ??= loadCore(setting, config);
    return loading;
  };
  const surface =
    selected === undefined
      ? await loadSurface(profile)
      : (await import("./surface.ts")).surfaceFor(profile, selected);
  return { app: createMcpApp({ surface, load: core }), config, core };
}

async function loadCore({ profile, selected, account }: ServerSetting, config: ConfigInForce): Promise<Core> {
  const [{ createCore }, { catalogFor }, opened] = await Promise.all([
    import("./core.ts"),
    import("./catalog.ts"),
    account(),
  ]);
  return createCore({
    profile,
    catalog: selected ?? catalogFor(profile),
    config,
    account: opened,
  });
}
