import { createMcpApp, type JsonObject, type McpApp, type Surface } from "@toolpact/contract";
import type { Principal } from "@toolpact/contract/cli";
import { type ConfigInForce, configInForce } from "../config/config-in-force.ts";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";
import { type Agent, agentId } from "../mutation/agents/agent.ts";
import type { KnownCatalog } from "../mutation/plan.ts";
import { isWorkflowProfile, type Profile, profiles } from "../profiles.ts";
import type { XAccount } from "../x/connect-x.ts";
import type { AgentProof, Core, CoreSetting } from "./core.ts";
import { loadSurface } from "./surfaces/load.ts";

export interface ServerSetting {
  readonly profile: Profile;
  /** Only where the profile is narrowed: the tools that are left. */
  readonly selected?: KnownCatalog | undefined;
  /** False leaves the output schemas out of the list of tools. */
  readonly outputSchemas?: boolean;
  readonly config: LoadedConfig;
  readonly place: ConfigPlace;
  /** Called with the first call. */
  readonly account: () => Promise<XAccount>;
  /** Whether data is stored where the configuration says; in memory otherwise. */
  readonly isStored: boolean;
  /** Whether X is the sandbox: texts then come from a table. */
  readonly isSandbox: boolean;
  readonly observers?: CoreSetting["observers"];
  readonly log?: CoreSetting["log"];
}

export interface TuitbotServer {
  readonly app: McpApp;
  readonly config: ConfigInForce;
  readonly profile: Profile;
  readonly isSandbox: boolean;
  /** Loads the tools on first use; handshake and lists do not need them. */
  readonly core: () => Promise<Core>;
  /** The same with every tool there is, for the person whose server it is; undefined where nothing is stored. */
  readonly personCore: (() => Promise<Core>) | undefined;
  /**
   * The agent of a token, or the one that an issuer names, with what it is offered here, which is no more than `most`;
   * undefined where nobody may call with that now.
   */
  readonly identify: (proof: AgentProof, most?: Profile) => Promise<Principal | undefined>;
  /** Closes the database, if it was opened. */
  readonly close: () => Promise<void>;
}

export async function createServer(setting: ServerSetting): Promise<TuitbotServer> {
  const { profile, selected, outputSchemas, isSandbox } = setting;
  const config = configInForce(setting.config, setting.place);
  // Both cores act on the same X: a sandbox is made once.
  const account = remembered(setting.account);
  const core = remembered(() => loadCore({ ...setting, account }, config));
  const personCore =
    profile === "admin" && selected === undefined
      ? core
      : remembered(() => loadCore({ ...setting, account, profile: "admin", selected: undefined }, config));
  const surface =
    selected === undefined
      ? await loadSurface(profile)
      : (await import("./surface.ts")).surfaceFor(profile, selected);
  const close = async () => {
    const begun = [...new Set([core.current(), personCore.current()])];
    await Promise.all(begun.map(async (core) => (await core)?.close()));
  };
  const offered = new Map<Profile, Promise<Surface>>();
  /** What an agent is offered: the part of the server that its profile has. */
  const offeredTo = ({ profile: own }: Agent): Promise<Surface> => {
    // Written by a command that takes no other.
    const name = profiles.find((known) => known === own) ?? "readonly";
    const found = offered.get(name) ?? loadSurface(name).then((part) => commonPart(surface, part));
    offered.set(name, found);
    return found;
  };
  return {
    app: createMcpApp({ surface, outputSchemas, hasTasks: isWorkflowProfile(profile), load: core }),
    config,
    profile,
    isSandbox,
    core,
    personCore: setting.isStored && isWorkflowProfile(profile) ? personCore : undefined,
    async identify(proof, most) {
      const agent = await (await core()).agentWith(proof);
      if (agent?.accounts.includes(config.account) !== true) return undefined;
      const offered = await offeredTo(agent);
      const surface = most === undefined ? offered : commonPart(offered, await loadSurface(most));
      return { id: agentId(agent), surface };
    },
    close,
  };
}

/** What `whole` offers of what a profile has, in the words of that profile. */
function commonPart(whole: Surface, part: Surface): Surface {
  const common = (list: readonly JsonObject[], other: readonly JsonObject[], key: string) => {
    const known = new Set(other.map((one) => one[key]));
    return list.filter((one) => known.has(one[key]));
  };
  return {
    ...whole,
    instructions: part.instructions,
    tools: common(whole.tools, part.tools, "name"),
    resources: common(whole.resources, part.resources, "uri"),
    resourceTemplates: common(whole.resourceTemplates, part.resourceTemplates, "uriTemplate"),
    prompts: common(whole.prompts, part.prompts, "name"),
    skills: common(whole.skills ?? [], part.skills ?? [], "uri"),
  };
}

/** Does some work once. A failure is forgotten, so that the next call tries again. */
function remembered<T>(work: () => Promise<T>) {
  let working: Promise<T> | undefined;
  const run = () => {
    working ??= work().catch((error) => {
      working = undefined;
      throw error;
    });
    return working;
  };
  /** What has begun, if anything has. */
  return Object.assign(run, { current: () => working });
}

async function loadCore(setting: ServerSetting, config: ConfigInForce): Promise<Core> {
  const { profile, selected, account, isStored, isSandbox } = setting;
  const [{ createCore }, { catalogFor }, { persistenceOf }, opened] = await Promise.all([
    import("./core.ts"),
    import("./catalog.ts"),
    import("./persistence.ts"),
    account(),
  ]);
  const place = { fetch: opened.fetch, clock: opened.clock, random: Math.random };
  return createCore({
    profile,
    catalog: selected ?? catalogFor(profile),
    config,
    account: opened,
    observers: setting.observers,
    log: setting.log,
    persistence: isStored ? persistenceOf(config.values) : undefined,
    llm: async () => {
      const { openLlm } = await import("../writing/open-llm.ts");
      return openLlm(config.values, { isSandbox, ...place });
    },
    judge:
      config.values.llm.judge_model === ""
        ? undefined
        : async () => (await import("../writing/open-llm.ts")).openJudge(config.values, place),
  });
}
