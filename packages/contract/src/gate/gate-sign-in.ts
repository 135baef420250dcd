import { failed, type Outcome, ok } from "@toolpact/outcome";
import { sameDigest } from "../guards/internal.ts";
import { freeName } from "../guards/shown-text.ts";
import type { SqlDatabase } from "../guards/sql.ts";
import type { ConsentRequest } from "../oauth/consent.ts";
import type { ConsentForm } from "../oauth/consent-page.ts";
import { type OpenedSignIn, openSignIn } from "../oauth/open-sign-in.ts";
import { escapeHtml } from "../oauth/pages.ts";
import {
  type ClientPermissions,
  callerOfClient,
  clientIn,
  type GateClient,
  type GateClients,
  openClients,
  principalOfClient,
  signInScope,
} from "./clients.ts";
import type { PolicyCaller } from "./policy.ts";

/** The scope that a client asks for when a call needs more than the rule `read_only`. */
const WRITE = "write";

interface GateSignInOptions {
  /** The name of the gate, which also separates its rows. */
  readonly name: string;
  readonly database: SqlDatabase;
  readonly key: Uint8Array;
  /** The address for clients and browsers; the one it listens at by default. */
  readonly publicUrl: string | undefined;
  /** The secret that the owner types on the consent page. */
  readonly passphrase: string;
  /** True if some calls of the tool only read. */
  readonly mayRead: (tool: string) => boolean;
  readonly now: () => number;
}

/** The sign-in of a gate, and the permissions of the clients that were signed in. */
export interface GateSignIn {
  readonly signIn: OpenedSignIn;
  readonly callers: SignedInCallers;
}

/** The clients that were signed in, as guards see them. */
export interface SignedInCallers {
  /** Reads the client of a principal, if it may call. */
  readonly refresh: (principal: string) => Promise<GateClient | undefined>;
  /** The limit and budget of a client, as of the last `refresh`. */
  readonly get: (principal: string | undefined) => PolicyCaller | undefined;
}

/** Lets the owner sign clients in at a gate. */
export async function openGateSignIn(options: GateSignInOptions): Promise<GateSignIn> {
  const { name, database, key, publicUrl, passphrase, mayRead, now } = options;
  const clients = await openClients(database, name, now);
  const known = new Map<string, GateClient>();
  const remember = (client: GateClient | undefined) => {
    if (client !== undefined) known.set(principalOfClient(client.name), client);
    return client;
  };
  const signIn: OpenedSignIn = openSignIn({
    title: name,
    database,
    scope: signInScope(name),
    key,
    ...(publicUrl !== undefined && { publicUrl }),
    consent: {
      person: async (given) => (sameDigest(given.trim(), passphrase) ? "owner" : undefined),
      form: consentForm(clients, (grant) => signIn.revoke(grant), now),
    },
    stepUpScopes: [WRITE],
    missingScopes: (tool, caller) =>
      known.get(caller?.id ?? "")?.mayWrite === false && !mayRead(tool) ? [WRITE] : [],
    async principal({ grantId }) {
      const found = remember(await clients.withGrant(grantId));
      return (
        found && {
          id: principalOfClient(found.name),
          isValid: async () => remember(await clients.withGrant(grantId)) !== undefined,
        }
      );
    },
  });
  return {
    signIn,
    callers: {
      async refresh(principal) {
        const own = clientIn(principal);
        const found = (await clients.list()).find((one) => one.name === own && one.revokedAt === undefined);
        return remember(found);
      },
      get(principal) {
        const found = known.get(principal ?? "");
        return found && callerOfClient(found);
      },
    },
  };
}

const DEFAULTS: ClientPermissions = { mayWrite: false, callsPerDay: 200, usdPerDay: 1 };
const MAX_CALLS = 100_000;
const MAX_USD = 1_000_000;

/** The questions on the consent page. Clients that ask for more than reads get reads unless the owner chooses more. */
function consentForm(
  clients: GateClients,
  revoke: (grantId: string) => Promise<void>,
  now: () => number,
): ConsentForm {
  /** Earlier sign-ins of the same client, the last used first. */
  const earlier = async ({ client: { id } }: ConsentRequest) =>
    (await clients.list())
      .filter(({ client, revokedAt }) => client.id === id && revokedAt === undefined)
      .sort((one, other) => (other.usedAt ?? other.createdAt) - (one.usedAt ?? one.createdAt));
  return {
    async fields(waiting, sent) {
      const known = await earlier(waiting);
      const before = known[0] ?? DEFAULTS;
      const asksMore = known.length > 0 && waiting.scopes.includes(WRITE);
      const may = sent?.get("may") ?? (before.mayWrite || asksMore ? "write" : "read");
      const radio = (value: string, text: string) =>
        `<label><input type="radio" name="may" value="${value}"${may === value ? " checked" : ""}> ${text}</label>`;
      const value = (field: string, otherwise: number) => escapeHtml(sent?.get(field) ?? String(otherwise));
      const options = known.map(
        ({ name }) => `<option value="${escapeHtml(name)}">${escapeHtml(name)}</option>`,
      );
      return `<fieldset><legend>It may call</legend>
${radio("read", "tools that only read, by the rule <code>read_only</code>")}${radio("write", "every tool, under the policy and your approval")}</fieldset>
<label>Calls per day <input type="number" name="calls" required min="1" max="${MAX_CALLS}" value="${value("calls", before.callsPerDay)}"></label>
<label>Dollars per day <input type="number" name="usd" required min="0" max="${MAX_USD}" step="0.01" value="${value("usd", before.usdPerDay)}"></label>
${known.length === 0 ? "" : `<label>Sign in as <select name="replaces">${options.join("")}<option value="">another client</option></select></label>`}`;
    },
    async read(waiting, sent) {
      const permissions = permissionsIn(sent);
      if (!permissions.ok) return permissions;
      const replaced = (await earlier(waiting)).find(({ name }) => name === sent.get("replaces"));
      const { isOnDevice: _, ...client } = waiting.client;
      return ok({
        scopes: permissions.value.mayWrite ? waiting.scopes : [],
        async save(grantId) {
          const name = replaced?.name ?? freeName(client.name, await clients.list());
          await clients.save({ name, grantId, client, createdAt: now(), ...permissions.value });
          if (replaced !== undefined) await revoke(replaced.grantId);
        },
      });
    },
  };
}

function permissionsIn(sent: URLSearchParams): Outcome<ClientPermissions, string> {
  const callsPerDay = Number(sent.get("calls") ?? Number.NaN);
  const usdPerDay = Number(sent.get("usd") ?? Number.NaN);
  if (!Number.isInteger(callsPerDay) || callsPerDay < 1 || callsPerDay > MAX_CALLS)
    return failed(`Calls per day is a whole number from 1 to ${MAX_CALLS}.`);
  if (!(usdPerDay >= 0 && usdPerDay <= MAX_USD)) return failed(`Dollars per day is from 0 to ${MAX_USD}.`);
  return ok({ mayWrite: sent.get("may") === "write", callsPerDay, usdPerDay });
}
