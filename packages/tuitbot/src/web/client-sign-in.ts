import { once } from "@toolpact/contract";
import type { Surface } from "@toolpact/contract/internal";
import type { OpenedSignIn } from "@toolpact/contract/internal/cli";
import { openSignIn } from "@toolpact/contract/sign-in";
import { grantSubject } from "../agents/agent.ts";
import { SIGN_IN_SCOPE } from "../app/sign-in/active-agents.ts";
import type { ClientSignIn } from "../app/sign-in/clients.ts";
import type { Profile } from "../profiles.ts";
import type { Core } from "../server/core.ts";
import { loadSurface } from "../server/load-surface.ts";
import type { TuitbotServer } from "../server/server.ts";
import { sqlDatabase } from "../storage/sql-database.ts";
import type { Session } from "../storage/store.ts";

/** The view of the dashboard on which people decide about clients. */
const CONSENT = "/#/connect";

/** Profiles under which a client of the dashboard can be signed in, the narrowest first. */
const OFFERED = ["readonly", "api-readonly", "write", "admin"] as const satisfies readonly Profile[];

/** The sign-in of clients that are added by URL, and what the dashboard needs of it. */
export interface ServedSignIn {
  readonly signIn: OpenedSignIn;
  readonly forBrowser: (request: Request) => ClientSignIn;
}

/** Lets people sign clients in at the dashboard. Undefined if the server stores nothing, or has an issuer. */
export function clientSignIn(server: TuitbotServer): ServedSignIn | undefined {
  const { personCore, config, identify, accounts } = server;
  const { public_url } = config.values.server;
  if (personCore === undefined || config.values.oauth.issuer !== undefined) return undefined;
  const offered = OFFERED.slice(0, OFFERED.indexOf(server.profile === "admin" ? "admin" : "write") + 1);
  /** The tools of each profile, known when the first client calls. */
  let toolsOfProfiles: readonly { readonly profile: Profile; readonly tools: ReadonlySet<string> }[] = [];
  const loadProfiles = once(async () => {
    toolsOfProfiles = await Promise.all(
      offered.map(async (profile) => ({ profile, tools: toolsOf(await loadSurface(profile)) })),
    );
  });
  const signIn = openSignIn({
    title: "tuitbot",
    database: sqlDatabase(async () => (await servicesOf(personCore)).db.store),
    scope: SIGN_IN_SCOPE,
    key: async () => (await servicesOf(personCore)).approvals.key,
    ...(public_url !== undefined && { publicUrl: public_url }),
    consent: { path: CONSENT },
    stepUpScopes: offered,
    missingScopes(tool, caller) {
      if (caller?.surface === undefined || toolsOf(caller.surface).has(tool)) return [];
      const profile = toolsOfProfiles.find(({ tools }) => tools.has(tool))?.profile;
      return profile === undefined ? [] : [profile];
    },
    async principal({ grantId }) {
      await loadProfiles();
      const proof = { subject: grantSubject(grantId) };
      const found = await identify(proof);
      return (
        found && {
          id: found.id,
          get surface() {
            return found.surface;
          },
          isValid: async () => (await identify(proof)) !== undefined,
        }
      );
    },
  });
  return {
    signIn,
    forBrowser: (request) => ({
      pending: (id) => signIn.pending(request, id),
      decide: (id, decision) => signIn.decide(request, id, decision),
      revoke: signIn.revoke,
      profiles: offered,
      accounts,
    }),
  };
}

const toolNames = new WeakMap<Surface, ReadonlySet<string>>();

/** The names of the tools that can be called, listed or not. */
function toolsOf(surface: Surface): ReadonlySet<string> {
  let names = toolNames.get(surface);
  if (names === undefined) {
    names = new Set([...surface.tools.map(({ name }) => String(name)), ...(surface.unlisted ?? [])]);
    toolNames.set(surface, names);
  }
  return names;
}

const NEEDS = ["db", "approvals"] as const;

async function servicesOf(personCore: () => Promise<Core>) {
  const core = await personCore();
  const resolved = await core.services.resolve(NEEDS, {}, new AbortController().signal);
  if (!resolved.ok) throw new Error(resolved.failure.message);
  // Exactly the services that were named.
  return resolved.value as { readonly db: Session; readonly approvals: { readonly key: Uint8Array } };
}
