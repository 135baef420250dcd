import { type Failure, maskSecrets } from "@toolpact/contract";
import type { Site } from "@toolpact/contract/cli";
import { type Outcome, ok } from "@toolpact/outcome";
import type { KnownCatalog } from "../../mutation/plan.ts";
import { catalogFor } from "../../server/catalog.ts";
import type { Core } from "../../server/core.ts";
import type { TuitbotServer } from "../../server/server.ts";
import type { Services } from "../../tools/product.ts";
import { version } from "../../version.ts";
import { assetsIn, pageFolder } from "../../web/assets.ts";
import { Refusal } from "../../web/json-http.ts";
import { roleFor } from "../../web/roles.ts";
import type { SignInLinks } from "../../web/sign-in.ts";
import { webSite } from "../../web/site.ts";
import type { Callable, WebApp } from "../../web/web-app.ts";
import { type CommandSession, webCommands } from "./commands.ts";

export interface OpenWebSetting {
  readonly server: Pick<TuitbotServer, "isSandbox" | "config">;
  readonly personCore: () => Promise<Core>;
  readonly links: SignInLinks;
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onError: (message: string) => void;
}

/** The page of a server, its API, and what is behind it. */
export function openWeb(setting: OpenWebSetting): Site {
  const { personCore, links, now, onError } = setting;
  const folder = pageFolder();
  const catalog = catalogFor("admin");
  return webSite({
    open: async (signal) => {
      const core = await personCore();
      const resolved = await core.services.resolve(NEEDS, {}, signal);
      if (!resolved.ok) return resolved;
      // Exactly the services that were named.
      return ok(webApp(resolved.value as Resolved, core, catalog, setting));
    },
    signIn: async ({ link }) => (typeof link === "string" ? links.use(link) : undefined),
    signInWays: ["link"],
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
  services: Resolved,
  core: Core,
  catalog: KnownCatalog,
  { server, speed }: OpenWebSetting,
): WebApp {
  const { db, workflow, config } = services;
  return {
    place: { db: db.store.db, account: db.account },
    about: async () => ({
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
      stop: null,
    }),
    tool: (name) => toolNamed(name, catalog, core),
    command: (name) => commandNamed(name, { ...services, core }),
    events: async () => {
      throw new Refusal(503, "unavailable", "There are no events yet.");
    },
  };
}

/** Calls a tool with the guards, the receipts and the audit that an agent has, as a person. */
function toolNamed(name: string, catalog: KnownCatalog, { pipeline }: Core): Callable | undefined {
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

function commandNamed(name: string, services: Omit<CommandSession, "by" | "signal">): Callable | undefined {
  if (!isCommand(name)) return undefined;
  const { role, input, run } = webCommands[name];
  return {
    role: () => role,
    async run(args, { person, signal }) {
      const parsed = input.safeParse(args);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new Refusal(400, "bad_request", `${issue?.path.join(".")}: ${issue?.message}.`);
      }
      // Both are of the same command; the compiler cannot see that of a name that is known only now.
      const runAny = run as (input: unknown, session: CommandSession) => Promise<Outcome<unknown, Failure>>;
      const outcome = await runAny(parsed.data, { ...services, by: deciderOf(person), signal });
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
  return `person via web, ${JSON.stringify(person)}`;
}
