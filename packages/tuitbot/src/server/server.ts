import { type Failure, type JsonObject, type McpApp, type Outcome, ok, once } from "@toolpact/contract";
import { createMcpApp, type McpCore, type Surface } from "@toolpact/contract/internal";
import type { Principal } from "@toolpact/contract/internal/cli";
import { type Agent, agentId, agentName } from "../agents/agent.ts";
import type { ToolList } from "../app/services.ts";
import { type EffectiveConfig, effectiveConfig } from "../config/effective-config.ts";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";
import { errors } from "../errors.ts";
import { isWorkflowProfile, type Profile, profiles } from "../profiles.ts";
import type { XAccount } from "../x/connect-x.ts";
import { surfaceForAccounts } from "./account-addresses.ts";
import type { AgentProof, Core, CoreSetting } from "./core.ts";
import { loadSurface, type ShortList, shortSurface } from "./load-surface.ts";
import type { SharedDatabase } from "./shared-database.ts";

export interface ServerSetting {
  readonly profile: Profile;
  /** Only where the profile is narrowed: the names of the tools that are left. */
  readonly selected?: readonly string[] | undefined;
  /** The tools listed at first, if fewer than can be called. */
  readonly listed?: ShortList | undefined;
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
  /** All accounts, if the server acts for several. The settings above are then those of the first. */
  readonly accounts?: AllAccounts | undefined;
}

/** The accounts of a server that acts for several. */
export interface AllAccounts {
  /** Their names in the configuration. */
  readonly names: readonly string[];
  /** Opens an account: its settings, and how to act for it. */
  readonly open: (name: string) => Promise<Outcome<OneAccount, Failure>>;
  /** The storage of all accounts; undefined if nothing is stored. */
  readonly database: SharedDatabase | undefined;
  /** Called once per account in use, to resume its unfinished work. */
  readonly onOpened: (name: string, core: Core) => void;
}

export type OneAccount = Pick<ServerSetting, "config" | "place" | "account">;

export interface TuitbotServer {
  readonly app: McpApp;
  readonly config: EffectiveConfig;
  readonly profile: Profile;
  readonly isSandbox: boolean;
  /** Loads the tools on first use; handshake and lists do not need them. */
  readonly core: () => Promise<Core>;
  /** The accounts it acts for, with the core of each; one unless several are configured. */
  readonly accounts: readonly string[];
  readonly coreOf: (account: string) => Promise<Outcome<AccountCore, Failure>>;
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

/** The parts that act for one account. */
export interface AccountCore {
  readonly config: EffectiveConfig;
  readonly core: () => Promise<Core>;
  /** As that of the server. */
  readonly personCore: TuitbotServer["personCore"];
}

export async function createServer(setting: ServerSetting): Promise<TuitbotServer> {
  const { profile, selected, outputSchemas, isSandbox, accounts } = setting;
  const toolList = () => list?.tools;
  const home = accountCore(setting, toolList);
  const { config, core } = home;
  const names = accounts?.names ?? [config.account];
  const opened = new Map<string, Promise<Outcome<AccountCore & Closing, Failure>>>([
    [config.account, Promise.resolve(ok(home))],
  ]);
  const coreOf = (name: string) => {
    const found = opened.get(name) ?? openOne(name);
    opened.set(name, found);
    return found;
  };
  async function openOne(name: string): Promise<Outcome<AccountCore & Closing, Failure>> {
    const one = await accounts?.open(name);
    if (one?.ok) return ok(accountCore({ ...setting, ...one.value }, toolList));
    // Its settings may be fixed before the next call.
    opened.delete(name);
    return one ?? errors.fail("not_found", "There is no such account here.");
  }
  const whole = await loadSurface(profile, selected);
  const surface = accounts === undefined ? whole : surfaceForAccounts(whole, names);
  const list = setting.listed && shortList(setting.listed, surface, (tools) => app.offerTools(tools));
  /** The accounts of each agent, as they were when it last showed its token: with every request. */
  const accountsOfAgents = new Map<string, readonly string[]>();
  const offered = new Map<string, Promise<Surface>>();
  /** The tools of an agent: those that its profile and `most` both have. */
  const offeredTo = ({ profile: own }: Agent, most: Profile | undefined, acting: readonly string[]) => {
    // Written by a command that takes no other.
    const name = profiles.find((known) => known === own) ?? "readonly";
    const key = [name, most, ...(accounts === undefined ? [] : acting)].join();
    const found = offered.get(key) ?? offer(name, most, acting);
    if (offered.size >= MAX_OFFERS) offered.clear();
    offered.set(key, found);
    return found;
  };
  async function offer(own: Profile, most: Profile | undefined, acting: readonly string[]) {
    const part = commonPart(whole, await loadSurface(own));
    const narrow = most === undefined ? part : commonPart(part, await loadSurface(most));
    return accounts === undefined ? narrow : surfaceForAccounts(narrow, acting);
  }
  async function coreOfAll(all: AllAccounts): Promise<McpCore> {
    const { severalAccounts } = await import("./several-accounts.ts");
    const used = new Set<string>();
    return severalAccounts({
      accountsOf: (principal) =>
        agentName(principal) === undefined ? names : (accountsOfAgents.get(principal ?? "") ?? []),
      async core(name) {
        const found = await coreOf(name);
        if (!found.ok) return found;
        const own = await found.value.core();
        if (!used.has(name)) {
          used.add(name);
          all.onOpened(name, own);
        }
        return ok(own);
      },
      home: await core(),
      watched: names.slice(0, MAX_WATCHED),
    });
  }
  const app = createMcpApp({
    surface: list?.shown(surface) ?? surface,
    outputSchemas,
    toolsChange: list !== undefined,
    hasTasks: isWorkflowProfile(profile),
    load: accounts === undefined ? core : () => coreOfAll(accounts),
    loadAfterList: true,
  });
  return {
    app,
    config,
    profile,
    isSandbox,
    core,
    accounts: names,
    coreOf,
    personCore: home.personCore,
    async identify(proof, most) {
      const agent = await (await core()).agentWith(proof);
      const acting = names.filter((name) => agent?.accounts.includes(name));
      if (agent === undefined || acting.length === 0) return undefined;
      const id = agentId(agent);
      accountsOfAgents.set(id, acting);
      const offered = await offeredTo(agent, most, acting);
      return {
        id,
        // Asked at each request: tools may have been switched on since.
        get surface() {
          return list?.shown(offered) ?? offered;
        },
      };
    },
    async close() {
      const all = await Promise.all(opened.values());
      await Promise.all(all.map((one) => (one.ok ? one.value.close() : undefined)));
      await accounts?.database?.close();
    },
  };
}

/** Each is a list of tools; agents of the same accounts share one. */
const MAX_OFFERS = 256;

/** Number of accounts checked on each database change, in addition to those with subscribers. */
const MAX_WATCHED = 20;

interface Closing {
  readonly close: () => Promise<void>;
}

/** All parts for one account. Nothing is opened yet. */
function accountCore(setting: ServerSetting, toolList: () => ToolList | undefined): AccountCore & Closing {
  const { profile, selected, isStored } = setting;
  const config = effectiveConfig(setting.config, setting.place);
  // Both cores act on the same X: a sandbox is made once.
  const account = once(setting.account);
  const core = once(() => loadCore({ ...setting, account }, config, toolList()));
  const personCore =
    profile === "admin" && selected === undefined
      ? core
      : once(() => loadCore({ ...setting, account, profile: "admin", selected: undefined }, config));
  return {
    config,
    core,
    personCore: isStored && isWorkflowProfile(profile) ? personCore : undefined,
    async close() {
      const begun = [...new Set([core.current(), personCore.current()])];
      await Promise.all(begun.map(async (core) => (await core)?.close()));
    },
  };
}

/** A list with some tools, which grows as tools are switched on; what is not in it can be called all the same. */
function shortList(
  { names, hasOutputSchemas }: ShortList,
  whole: Surface,
  offer: (tools: Surface["tools"]) => Promise<void>,
): { readonly tools: ToolList; readonly shown: (surface: Surface) => Surface } {
  const listed = new Set(names);
  const isListed = (name: string) => listed.has(name);
  const inFull = new Set<string>();
  const shown = (surface: Surface) =>
    shortSurface(surface, { names: listed, whole: inFull, hasOutputSchemas });
  return {
    shown,
    tools: {
      isListed,
      async switchOn(names) {
        const more = names.filter((name) => !isListed(name));
        // A tool that is the only one found is listed with all its arguments.
        const [only] = names.length === 1 ? names : [];
        if (more.length === 0 && (only === undefined || inFull.has(only))) return;
        for (const name of more) listed.add(name);
        if (only !== undefined) inFull.add(only);
        await offer(shown(whole).tools);
      },
    },
  };
}

/** The part of `whole` that a profile has, with that profile's descriptions. */
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

async function loadCore(
  setting: ServerSetting,
  config: EffectiveConfig,
  toolList?: ToolList | undefined,
): Promise<Core> {
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
    catalog: selected === undefined ? catalogFor(profile) : catalogFor(profile).select({ tools: selected }),
    toolList,
    config,
    account: opened,
    observers: setting.observers,
    log: setting.log,
    persistence: isStored ? persistenceOf(config.values, setting.accounts?.database) : undefined,
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
