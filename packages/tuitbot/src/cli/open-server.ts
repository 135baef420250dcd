import { existsSync } from "node:fs";
import type { CommandFailure } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { accountOf, DEFAULT_ACCOUNT } from "../config/account-name.ts";
import type { ConfigPlace, LoadedConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { defaultProfile, isWorkflowProfile } from "../profiles.ts";
import type { AllAccounts, TuitbotServer } from "../server/server.ts";
import type { SharedDatabase } from "../server/shared-database.ts";
import type { XAccount } from "../x/connect-x.ts";
import { type Context, configPlace, loadedConfig } from "./context.ts";
import type { RunningSandbox } from "./running-sandbox.ts";
import { sandboxProfile } from "./sandbox-profile.ts";
import { type ServerLog, serverLog } from "./server-log.ts";
import type { ServingOptions } from "./serving-options.ts";
import { damagedTokenFile, isSignedIn } from "./signed-in.ts";
import { listedTools, selectedTools } from "./tool-selection.ts";

/** A command's use of sandboxes, apart from one it starts and ends itself. */
export interface SandboxUse {
  /** Lets other commands of this person find the sandbox and work on it. */
  readonly isHost?: boolean;
  /** Works on the sandbox that a server runs: where nobody is signed in, or in any case. */
  readonly joins?: "signed_out" | "always";
  /** Sends nothing to X, not even the question who is signed in. */
  readonly isOffline?: boolean;
  /** Acts for every account of the configuration, unless one is named. */
  readonly servesAll?: boolean;
  /** Starts a sandbox with sample data if nobody is signed in and none runs. */
  readonly startsOwn?: boolean;
}

/** A server, with what it tells its operator where it is a host. */
export interface OpenedServer extends TuitbotServer {
  readonly log: ServerLog;
}

/** Builds the server that the options ask for. Nothing is sent to X yet. */
export async function openServer(
  given: ServingOptions,
  context: Context,
  use: SandboxUse = {},
): Promise<Outcome<OpenedServer, CommandFailure>> {
  const options = use.startsOwn && (await hasNobody(given, context)) ? { ...given, sandbox: true } : given;
  const profile = options.profile ?? defaultProfile;
  const selected = await selectedTools(options, profile);
  if (!selected.ok) return selected;
  const listed = await listedTools(options, profile);
  if (!listed.ok) return listed;
  const running = await sandboxToJoin(options, context, use);
  if (!running.ok) return running;
  const isSandbox = isOwnSandbox(options) || running.value !== undefined;
  const place = configPlace(context, isSandbox ? sandboxProfile(options["sandbox-plan"]) : undefined);
  const config = await loadedConfig(context, place);
  if (!config.ok) return config;
  const log = serverLog(config.value.values.logging, context);
  const several = use.servesAll && !isSandbox && accountsToServe(config.value, place);
  const accounts = several ? await allAccounts(several, options, context, use, log, place) : ok(undefined);
  if (!accounts.ok) return accounts;
  const opened = await openAccount(
    options,
    config.value.values,
    running.value,
    context,
    use,
    log,
    accounts.value?.database,
  );
  if (!opened.ok) return opened;
  const { values, account, isStored, close } = opened.value;
  const { createServer } = await import("../server/server.ts");
  const server = await createServer({
    profile,
    selected: selected.value,
    listed: listed.value,
    outputSchemas: options["no-output-schemas"] !== true,
    config: { ...config.value, values },
    place,
    account,
    isStored,
    isSandbox,
    accounts: accounts.value,
    ...(use.isHost && { observers: log.observers, log: log.write }),
  });
  return ok({
    ...server,
    log,
    close: async () => {
      await server.close();
      await close?.();
      await accounts.value?.close();
    },
  });
}

/** The names of the accounts, where there are several and none is named. */
function accountsToServe({ accounts = [] }: LoadedConfig, place: ConfigPlace): readonly string[] | undefined {
  const isNamed = place.account !== undefined || accountOf(place) !== DEFAULT_ACCOUNT;
  return isNamed || accounts.length < 2 ? undefined : accounts;
}

/** Every account of the configuration, each opened when it is first needed, on one database. */
async function allAccounts(
  names: readonly string[],
  options: ServingOptions,
  context: Context,
  use: SandboxUse,
  log: ServerLog,
  place: ConfigPlace,
): Promise<Outcome<AllAccounts & { readonly close: () => Promise<void> }, CommandFailure>> {
  const [{ loadAccounts }, { problemLine }, { errors }] = await Promise.all([
    import("../config/load.ts"),
    import("../config/problem.ts"),
    import("../errors.ts"),
  ]);
  const loaded = await loadAccounts(place);
  const first = loaded.ok ? await loaded.value(DEFAULT_ACCOUNT) : loaded;
  if (!loaded.ok || !first.ok)
    return failed({ message: (first.ok ? [] : first.failure.problems).map(problemLine).join(" ") });
  const database = isWorkflowProfile(options.profile ?? defaultProfile)
    ? await sharedDatabaseOf(first.value.values, context)
    : undefined;
  const closing: (() => Promise<void>)[] = [];
  return ok({
    names,
    database,
    async open(name) {
      const config = await loaded.value(name);
      if (!config.ok)
        return errors.fail(
          "policy_error",
          `The settings of the account are wrong: ${config.failure.problems.map(problemLine).join(" ")}`,
          { suggestedFix: "Run `tuitbot config check`.", fixBy: "operator" },
        );
      const own = { ...context, globals: { ...context.globals, account: name } };
      const opened = await openAccount(options, config.value.values, undefined, own, use, log, database);
      if (!opened.ok) return errors.fail("x_not_configured", opened.failure.message);
      closing.push(async () => opened.value.close?.());
      return ok({ config: config.value, place: { ...place, account: name }, account: opened.value.account });
    },
    onOpened(name, core) {
      void core.startBackgroundWork(context.signal).then(
        (trouble) => trouble !== undefined && !context.signal.aborted && log.write(`${name}: ${trouble}`),
        (error) => log.write(`${name}: ${error instanceof Error ? error.message : "unknown"}`),
      );
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  });
}

async function sharedDatabaseOf(values: Config, { machine }: Context): Promise<SharedDatabase> {
  const [{ persistenceOf }, { sharedDatabase }] = await Promise.all([
    import("../server/persistence.ts"),
    import("../server/shared-database.ts"),
  ]);
  return sharedDatabase(persistenceOf(values).store, machine.now);
}

/** Whether nobody is signed in, and nothing is stored of anybody. */
export async function isNobodyKnown(context: Context): Promise<boolean> {
  const config = await loadedConfig(context);
  if (!config.ok) return false;
  const { storage } = config.value.values;
  if (storage.url !== undefined || existsSync(storage.db_path)) return false;
  return !(await isSignedIn(config.value.values, context));
}

/** Whether nobody is known, and no sandbox runs. */
async function hasNobody(options: ServingOptions, context: Context): Promise<boolean> {
  if (isOwnSandbox(options) || !(await isNobodyKnown(context))) return false;
  const { machine, terminal } = context;
  const { findSandbox } = await import("./running-sandbox.ts");
  if ((await findSandbox(machine.home, machine.fetch)) !== undefined) return false;
  terminal.err(
    "tuitbot: Nobody is signed in to X, so this is a sandbox, a simulated X. Settings in the dashboard sign you in.\n",
  );
  return true;
}

function isOwnSandbox(options: ServingOptions): boolean {
  return options.sandbox === true || options["sandbox-plan"] !== undefined || options.speed !== undefined;
}

/** The sandbox that a server runs, if the command is to work on it; undefined if it is not. */
async function sandboxToJoin(
  options: ServingOptions,
  context: Context,
  { joins }: SandboxUse,
): Promise<Outcome<RunningSandbox | undefined, CommandFailure>> {
  if (joins === undefined || isOwnSandbox(options)) return ok(undefined);
  const { machine, terminal } = context;
  if (joins === "signed_out") {
    const config = await loadedConfig(context);
    if (!config.ok) return config;
    if (await isSignedIn(config.value.values, context)) return ok(undefined);
  }
  const { findSandbox } = await import("./running-sandbox.ts");
  const running = await findSandbox(machine.home, machine.fetch);
  if (running !== undefined) {
    const why = joins === "signed_out" ? "Nobody is signed in to X, so this" : "This";
    terminal.err(`tuitbot: ${why} is the sandbox that runs as process ${running.pid}.\n`);
    return ok(running);
  }
  if (joins === "signed_out") return ok(undefined);
  return failed({ message: "No sandbox is running.", fix: "Start one: tuitbot mcp serve --sandbox." });
}

interface OpenedAccount {
  readonly values: Config;
  /** Called with the first call. */
  readonly account: () => Promise<XAccount>;
  readonly isStored: boolean;
  readonly close?: () => Promise<void>;
}

/** The account to act for. Fails at once if nobody is signed in; everything else waits for the first call. */
async function openAccount(
  options: ServingOptions,
  values: Config,
  running: RunningSandbox | undefined,
  context: Context,
  { isHost = false, isOffline = false, servesAll = false }: SandboxUse,
  log: ServerLog,
  database?: SharedDatabase,
): Promise<Outcome<OpenedAccount, CommandFailure>> {
  const { machine } = context;
  if (running !== undefined) {
    const { inSandbox } = await import("./running-sandbox.ts");
    return ok({
      values: inSandbox(values, running.folder, running.access),
      account: async () => (await import("../x/joined-sandbox.ts")).joinedSandbox(running, machine.fetch),
      isStored: true,
    });
  }
  if (isOwnSandbox(options)) return ok(await openSandbox(options, values, context, isHost));
  const { storage } = values;
  // Local data can be used while nobody is signed in.
  const isLocal =
    isWorkflowProfile(options.profile ?? defaultProfile) &&
    (storage.url !== undefined || existsSync(storage.db_path));
  // One of several accounts may be without a sign-in: its own calls say so.
  const isOneOfSeveral = servesAll && database !== undefined;
  if (!isLocal && !isOneOfSeveral && !(await isSignedIn(values, context)))
    return failed({
      message: "Nobody is signed in to X.",
      fix: "Run `tuitbot auth login`, or try it without: tuitbot mcp serve --sandbox.",
    });
  const damaged = isLocal || isOneOfSeveral ? undefined : await damagedTokenFile(values);
  if (damaged !== undefined) return failed(damaged);
  if (isOffline && !isLocal)
    return failed({
      message: "Nothing is stored here yet.",
      fix: "Run `tuitbot tick` once: it reads what the autopilot works with.",
    });
  // A server lives on; the end of its sign-in is worth a line where the operator looks.
  const onEnded = isHost
    ? (message: string) => log.write(`${message} Run \`tuitbot auth login\`.`)
    : undefined;
  const fetch = isOffline ? sendNothing : machine.fetch;
  let close = async () => {};
  return ok({
    values,
    async account() {
      const [{ openSignIn }, { signedInAccount }] = await Promise.all([
        import("../server/sign-in.ts"),
        import("../x/signed-in-account.ts"),
      ]);
      const signIn = await openSignIn(values, accountOf(configPlace(context)), fetch, onEnded, database);
      close = signIn.close;
      return signedInAccount(values, fetch, signIn.tokens);
    },
    isStored: true,
    close: () => close(),
  });
}

async function sendNothing(): Promise<never> {
  throw new TypeError("This command sends nothing to X.");
}

/** Runs a sandbox in this process. A host stores its connection details in a folder, where other commands find it. */
async function openSandbox(
  options: ServingOptions,
  configured: Config,
  { machine, terminal }: Context,
  isHost: boolean,
): Promise<OpenedAccount> {
  const { plan, premium } = configured.x_api;
  const access = { plan: options["sandbox-plan"] ?? plan, isPremium: premium };
  const world = async () =>
    (await import("../x/sandbox-account.ts")).sandboxWorld(access.plan, { ...access, speed: options.speed });
  const inMemory = {
    values: { ...configured, x_api: { ...configured.x_api, plan: access.plan } },
    account: async () => (await world()).account,
    isStored: false,
  };
  if (!isHost || !isWorkflowProfile(options.profile ?? defaultProfile)) return inMemory;
  const { announceSandbox, inSandbox, removeFolder, sandboxFolder } = await import("./running-sandbox.ts");
  const folder = await sandboxFolder(machine.home, machine.now());
  if (folder === undefined) {
    terminal.err("tuitbot: Other commands cannot find this sandbox: ~/.tuitbot cannot be written.\n");
    return inMemory;
  }
  const opened: Promise<unknown>[] = [];
  let isClosed = false;
  let stop: (() => Promise<void>) | undefined;
  const open = async () => {
    const { sandbox, account } = await world();
    // A server that cannot listen is closed while parts of it are still opened.
    if (isClosed) return account;
    const url = await sandbox.listen();
    stop = () => sandbox.close();
    await announceSandbox(folder, url, access);
    return account;
  };
  return {
    values: inSandbox(configured, folder, access),
    account: () => {
      const account = open();
      opened.push(account);
      return account;
    },
    isStored: true,
    close: async () => {
      isClosed = true;
      // Its folder is removed only after the last file was written into it.
      await Promise.allSettled(opened);
      await stop?.();
      await removeFolder(folder);
    },
  };
}
