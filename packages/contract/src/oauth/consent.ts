import { isLoopback } from "../mcp/http-gate.ts";
import { nodeExchange } from "./node-exchange.ts";
import type { Provider } from "./provider.ts";
import type { Records } from "./records.ts";
import { plainName } from "./requests.ts";

/** For tools that declare no scope. */
export const BASE_SCOPE = "mcp";

/** A client that waits for a decision in a browser. */
export interface ConsentRequest {
  readonly id: string;
  readonly client: ConsentClient;
  /** The client's request. The user may grant fewer. */
  readonly scopes: readonly string[];
}

/** Claimed by the client, except where noted. */
export interface ConsentClient {
  readonly id: string;
  readonly name: string;
  /** Receives the code, as a host or private scheme. It cannot be forged. */
  readonly host: string;
  /** True if a program on the user's device receives the code. */
  readonly isOnDevice: boolean;
  /** The host that published the client's metadata document; undefined if nobody vouches for it. */
  readonly verifiedBy: string | undefined;
}

export type ConsentDecision =
  | { readonly approve: true; readonly subject: string; readonly scopes: readonly string[] }
  | { readonly approve: false };

export interface Decided {
  readonly location: string;
  readonly grantId: string | undefined;
}

/** Only for the browser that started it. */
export async function pendingRequest(
  provider: Provider,
  request: Request,
  id: string,
): Promise<ConsentRequest | undefined> {
  const interaction = await interactionOf(provider, request, id);
  if (interaction === undefined) return undefined;
  const { client_id, redirect_uri, scope } = interaction.params;
  const clientId = String(client_id);
  const client = await provider.Client.find(clientId);
  if (client === undefined) return undefined;
  const { protocol, host, hostname } = new URL(String(redirect_uri));
  const isWeb = protocol === "https:" || protocol === "http:";
  return {
    id,
    client: {
      id: clientId,
      name: plainName(client.clientName ?? "") || "A client without a name",
      host: isWeb ? host : `${protocol}//`,
      isOnDevice: isWeb ? isLoopback(hostname) : true,
      verifiedBy: /^https:/.test(clientId) ? new URL(clientId).host : undefined,
    },
    scopes: scopesIn(scope).filter((one) => one !== BASE_SCOPE),
  };
}

/** Undefined if this browser has no such request. */
export async function decideRequest(
  provider: Provider,
  request: Request,
  { id, resource, decision, records }: Decision,
): Promise<Decided | undefined> {
  const interaction = await interactionOf(provider, request, id);
  // Decided already, so only the redirect remains.
  if (interaction === undefined || interaction.result !== undefined) return undefined;
  // Only one of two simultaneous decisions counts.
  if (!(await records.consume("Interaction", id))) return undefined;
  const { incoming, outgoing } = exchangeOf(provider, request);
  const replace = { mergeWithLastSubmission: false };
  if (!decision.approve) {
    const result = { error: "access_denied", error_description: "The user refused." };
    const location = await provider.interactionResult(incoming, outgoing, result, replace);
    return { location, grantId: undefined };
  }
  const scopes = scopesIn(interaction.params.scope).filter(
    (scope) => scope === BASE_SCOPE || decision.scopes.includes(scope),
  );
  const grant = new provider.Grant({
    accountId: decision.subject,
    clientId: String(interaction.params.client_id),
  });
  grant.addResourceScope(resource, scopes.join(" "));
  const grantId = await grant.save();
  const login = { accountId: decision.subject, remember: false };
  const result = { login, consent: { grantId } };
  return { location: await provider.interactionResult(incoming, outgoing, result, replace), grantId };
}

interface Decision {
  readonly id: string;
  readonly resource: string;
  readonly decision: ConsentDecision;
  readonly records: Pick<Records, "consume">;
}

function scopesIn(scope: unknown): readonly string[] {
  return typeof scope === "string" ? scope.split(" ") : [];
}

/** The signed cookie and the id in the address must agree. */
async function interactionOf(provider: Provider, request: Request, id: string) {
  const { incoming, outgoing } = exchangeOf(provider, request);
  try {
    const interaction = await provider.interactionDetails(incoming, outgoing);
    return interaction.uid === id ? interaction : undefined;
  } catch (error) {
    const { error: code } = error as { readonly error?: string };
    if (code === "invalid_request") return undefined;
    throw error;
  }
}

function exchangeOf(provider: Provider, request: Request) {
  return nodeExchange(request, new URL(new URL(request.url).pathname, provider.issuer), { address: "" });
}
