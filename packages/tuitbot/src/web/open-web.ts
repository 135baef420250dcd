import { type Failure, maskSecrets } from "@toolpact/contract";
import type { HttpExtension } from "@toolpact/contract/cli";
import { personVia } from "@toolpact/contract/guards";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { idOf, type Snapshot, takeSnapshot, versionsOf } from "../app/changes.ts";
import type { Services } from "../app/services.ts";
import { checkPassphrase, listPeople, passphraseRole } from "../app/sign-in/people.ts";
import { useSentLink } from "../app/sign-in/sent-link.ts";
import type { NewVisitor, RoleOf, SessionPlace, SignInLinks } from "../app/sign-in/sessions.ts";
import { RUNNER_LEASE } from "../drafts/runner.ts";
import type { TuitbotCatalog } from "../guards/call/tool-facts.ts";
import { findStop, stopView } from "../guards/stop/stop.ts";
import { pageFolder } from "../page-files.ts";
import { catalogFor } from "../server/catalog.ts";
import type { Core } from "../server/core.ts";
import type { TuitbotServer } from "../server/server.ts";
import { watchChanges } from "../storage/watch-changes.ts";
import { version } from "../version.ts";
import { openMedia, storeMedia } from "../x/toolkit/media-store.ts";
import { assetsIn } from "./assets.ts";
import { type CommandSession, webCommands } from "./commands.ts";
import { type EventStreams, eventStreams } from "./event-stream.ts";
import { Refusal } from "./json-http.ts";
import type { PublicPlace } from "./reach.ts";
import { rehearseOnce } from "./rehearse-once.ts";
import { roleFor } from "./roles.ts";
import { type RunSetup, SetupConversation } from "./setup-conversation.ts";
import { webSite } from "./site.ts";
import type { Callable, WebApp } from "./web-app.ts";

export interface OpenWebSetting {
  readonly server: Pick<TuitbotServer, "isSandbox" | "config">;
  readonly personCore: () => Promise<Core>;
  readonly links: SignInLinks;
  readonly publicPlace: PublicPlace | undefined;
  readonly firstLines: CommandSession["firstLines"];
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onError: (message: string) => void;
  readonly runSetup: RunSetup;
  /** Fires when the server stops. */
  readonly signal: AbortSignal;
}

/** The page of a server, its API, and what is behind it. */
export function openWeb(setting: OpenWebSetting): HttpExtension {
  const { server, personCore, links, publicPlace, now, onError } = setting;
  const folder = pageFolder();
  const catalog = catalogFor("admin");
  const { firstLines } = setting;
  const setup = new SetupConversation(setting.runSetup, setting.signal, onError);
  const rehearse = rehearseOnce();
  async function resolve(signal: AbortSignal): Promise<Outcome<Resolved & { readonly core: Core }, Failure>> {
    const core = await personCore();
    const resolved = await core.services.resolve(NEEDS, {}, signal);
    // Exactly the services that were named.
    return resolved.ok ? ok({ ...(resolved.value as Resolved), core }) : resolved;
  }
  const { storage, notify } = server.config.values;
  /** Whom a link in a message signs in: somebody who is still configured, with the role that they have now. */
  async function sentTo(link: string, place: SessionPlace): Promise<NewVisitor | undefined> {
    const resolved = await resolve(new AbortController().signal);
    const name = resolved.ok ? await useSentLink(place, resolved.value.approvals.key, link) : undefined;
    const person = notify.people.find((one) => one.name === name);
    return person && { person: person.name, role: person.role, method: "sent_link" };
  }
  const roleOf: RoleOf = async (person, method, place) => {
    switch (method) {
      case "printed_link":
        return "owner";
      case "sent_link":
        return notify.people.find(({ name }) => name === person)?.role;
      case "passphrase":
        return passphraseRole(place, person);
      default:
        return undefined;
    }
  };
  const events = eventStreams({
    async snapshot() {
      const resolved = await resolve(new AbortController().signal);
      if (!resolved.ok) throw new Error(resolved.failure.message);
      return snapshotOf(resolved.value);
    },
    watch: (onChange) => watchChanges({ url: storage.url, path: storage.db_path }, onChange),
    onError: (error) => onError(`Events: ${maskSecrets(error instanceof Error ? error.message : "unknown")}`),
  });
  return webSite({
    open: async (signal) => {
      const resolved = await resolve(signal);
      return resolved.ok
        ? ok(webApp({ ...resolved.value, setup, rehearse, firstLines }, catalog, setting, events))
        : resolved;
    },
    events,
    async signIn({ link, name, passphrase }, place, { address, isLocal }) {
      if (typeof name === "string" && typeof passphrase === "string")
        return checkPassphrase(place, { name, passphrase }, address);
      if (typeof link !== "string") return failed("wrong");
      // Printed links work on this machine only; links sent by message work anywhere.
      const printed = isLocal ? links.use(link) : undefined;
      if (printed !== undefined) return ok({ ...printed, method: "printed_link" });
      const visitor = await sentTo(link, place);
      return visitor === undefined ? failed("wrong") : ok(visitor);
    },
    roleOf,
    signInWays: async (place, { isLocal }) =>
      !isLocal ? ["passphrase"] : (await listPeople(place)).length > 0 ? ["passphrase", "link"] : ["link"],
    publicPlace,
    assets: folder === undefined ? { answer: async () => undefined } : assetsIn(folder),
    version,
    now,
    onBug: (where, error) =>
      onError(`${where} failed: ${maskSecrets((error instanceof Error && error.stack) || "unknown")}`),
  });
}

const NEEDS = ["db", "workflow", "config", "approvals"] as const;

type Resolved = Pick<Services, (typeof NEEDS)[number]>;

function webApp(
  services: Resolved & Pick<CommandSession, "core" | "setup" | "rehearse" | "firstLines">,
  catalog: TuitbotCatalog,
  { server, speed }: OpenWebSetting,
  events: EventStreams,
): WebApp {
  const { db, workflow, config, core } = services;
  return {
    place: { db: db.store.db, account: db.account },
    async about() {
      const { stop, state } = await stopWithState(services);
      events.told(state);
      return {
        account: {
          id: db.account,
          username: db.names?.username ?? null,
          name: db.names?.name ?? null,
        },
        is_sandbox: server.isSandbox,
        now: new Date(workflow.now()).toISOString(),
        speed,
        timezone: config.values.schedule.timezone,
        mode: config.values.mode,
        approval_mode: config.approvalMode,
        version,
        stop,
        last_event_id: idOf(versionsOf(state)),
      };
    },
    tool: (name) => toolNamed(name, catalog, core),
    command: (name) => commandNamed(name, services),
    media: {
      store: (bytes) => storeMedia(bytes, workflow.mediaRoots),
      open: (path) => openMedia(path, workflow.mediaRoots),
    },
  };
}

/** The stop in force and the state of everything, neither older than the other. */
async function stopWithState(services: Resolved) {
  const { store, account } = services.db;
  for (let tries = 3; ; tries--) {
    const state = await snapshotOf(services);
    const stop = await findStop(store.db, account);
    if ((stop === undefined) === (state.stop.count === 0) || tries === 1)
      return { stop: stop === undefined ? null : stopView(stop), state };
  }
}

function snapshotOf({ db, workflow }: Resolved): Promise<Snapshot> {
  return takeSnapshot(db.store.db, db.account, workflow.now(), RUNNER_LEASE);
}

/** Calls a tool with the guards, the receipts and the audit that an agent has, as a person. */
function toolNamed(name: string, catalog: TuitbotCatalog, { pipeline }: Core): Callable | undefined {
  const tool = catalog.get(name);
  if (tool === undefined) return undefined;
  return {
    role: (args) => roleFor(tool, args),
    async run(args, { person, signal }) {
      const caller = { transport: "web", client: person } as const;
      const answer = await pipeline.call({ tool: name, args, caller, signal });
      if (answer.kind === "rendered") return answer.envelope;
      const message =
        answer.kind === "asks" ? `${name} asks a person, which is not possible here.` : answer.message;
      throw new Refusal(409, "refused", message);
    },
  };
}

function commandNamed(
  name: string,
  services: Omit<CommandSession, "by" | "visitor" | "signal">,
): Callable | undefined {
  if (!isCommand(name)) return undefined;
  const { role, input, run } = webCommands[name];
  return {
    role: (args) => (typeof role === "function" ? role(args) : role),
    async run(args, { signal, ...visitor }) {
      const parsed = input.safeParse(args);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new Refusal(400, "bad_request", `${issue?.path.join(".")}: ${issue?.message}.`);
      }
      // Both are of the same command; the compiler cannot see that of a name that is known only now.
      const runAny = run as (input: unknown, session: CommandSession) => Promise<Outcome<unknown, Failure>>;
      const outcome = await runAny(parsed.data, {
        ...services,
        by: deciderOf(visitor.person),
        visitor,
        signal,
      });
      if (!outcome.ok) throw Refusal.of(409, "refused", outcome.failure);
      return outcome.value;
    },
  };
}

function isCommand(name: string): name is keyof typeof webCommands {
  return Object.hasOwn(webCommands, name);
}

/** Who decides, as approvals and the audit name them. */
function deciderOf(person: string): string {
  return personVia("web", JSON.stringify(person));
}
