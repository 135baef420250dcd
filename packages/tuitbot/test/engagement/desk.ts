import { type Caller, type JsonObject, ok } from "@toolpact/contract";
import { cast, Sandbox, type SandboxOptions } from "@toolpact/x-sandbox";
import type { Services } from "../../src/app/services.ts";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { type Config, configSchema } from "../../src/config/schema.ts";
import { catalogFor } from "../../src/server/catalog.ts";
import { type Core, type CoreSetting, createCore } from "../../src/server/core.ts";
import type { StorePlace } from "../../src/storage/open-store.ts";
import { standIn } from "../../src/writing/stand-in.ts";
import type { Envelope } from "../live-server.ts";
import { approvalKey } from "../storage/server.ts";

/** The whole product in this process, on a made-up X whose clock the test holds. */
export interface Desk {
  readonly sandbox: Sandbox;
  readonly core: Core;
  readonly config: Config;
  readonly call: (tool: string, args?: JsonObject, caller?: Caller) => Promise<Envelope>;
  readonly services: Pick<Services, "x" | "db" | "workflow" | "config" | "llm" | "approvals">;
  readonly close: () => Promise<void>;
}

export interface DeskSetting {
  /** As written in a configuration file. Nothing needs approval unless it says so. */
  readonly config?: JsonObject;
  readonly sandbox?: SandboxOptions | Sandbox;
  readonly store?: StorePlace;
  readonly judge?: CoreSetting["judge"];
  /** The account has X Premium, at X and in the configuration. */
  readonly isPremium?: boolean;
}

export const agent: Caller = { transport: "stdio", client: "agent" };
export const person: Caller = { transport: "cli" };

export async function openDesk(setting: DeskSetting = {}): Promise<Desk> {
  const sandbox =
    setting.sandbox instanceof Sandbox
      ? setting.sandbox
      : new Sandbox({ plan: "enterprise", size: { people: 12, posts: 30 }, ...setting.sandbox });
  if (setting.isPremium) sandbox.person(cast.owner).subscription = "Premium";
  const values = configSchema.parse(written(setting.config ?? {}));
  const place = { env: {}, home: "/nowhere", cwd: "/nowhere" };
  const config = effectiveConfig({ values, file: undefined, fromEnvironment: [] }, place);
  const clock = { now: () => sandbox.clock.now(), after: () => () => {} };
  let signedIn = sandbox.signIn();
  const core = createCore({
    profile: "admin",
    catalog: catalogFor("admin"),
    config,
    clock,
    persistence: {
      store: setting.store ?? { path: ":memory:" },
      approvalKey: async () => approvalKey,
    },
    llm: async () => ok(standIn()),
    judge: setting.judge,
    account: {
      tokens: {
        userToken: async () => ok(signedIn.accessToken),
        appToken: async () => ok(sandbox.app.bearerToken),
        rejected: async (token) => {
          if (token === signedIn.accessToken) signedIn = sandbox.signIn();
          return ok(signedIn.accessToken);
        },
      },
      signInId: async () => "one",
      scopes: () => signedIn.scopes,
      access: { plan: sandbox.plan, isPremium: setting.isPremium === true },
      baseUrl: "https://api.x.com",
      fetch: sandbox.fetch,
      clock,
      timeoutMs: 30_000,
    },
  });
  const resolved = await core.services.resolve(
    ["x", "db", "workflow", "config", "llm", "approvals"],
    {},
    new AbortController().signal,
  );
  if (!resolved.ok) throw new Error(resolved.failure.message);
  // Exactly what was asked for.
  const services = resolved.value as Desk["services"];
  const { store } = services.db;
  return {
    sandbox,
    core,
    config: values,
    // Tests look at rows whosever they are; the calls that they make may not.
    services: { ...services, db: { ...services.db, store: { ...store, db: store.db.withoutPlugins() } } },
    close: core.close,
    async call(tool, args = {}, caller = agent) {
      const answer = await core.pipeline.call({ tool, args, caller });
      if (answer.kind !== "rendered") throw new Error(`${tool} did not answer: ${JSON.stringify(answer)}`);
      // Every answer of this product is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    },
  };
}

/** Limits that no test reaches by accident. */
function written(config: JsonObject): JsonObject {
  return {
    approval_mode: false,
    x_api: { ai_replies_agreed: true },
    ...config,
    limits: {
      max_tweets_per_day: 1_000,
      max_replies_per_day: 1_000,
      max_threads_per_week: 1_000,
      max_replies_per_author_per_day: 1_000,
      ...(config.limits as object),
    },
    mcp_policy: { require_approval_for: [], max_mutations_per_hour: 1_000, ...(config.mcp_policy as object) },
  };
}

/** The id of the account that is signed in. */
export function ownerOf({ sandbox }: Desk): string {
  return sandbox.person(cast.owner).id;
}
