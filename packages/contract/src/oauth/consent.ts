import { isLoopback } from "../mcp/http-gate.ts";
import { nodeExchange } from "./node-exchange.ts";
import type { Provider } from "./provider.ts";
import type { Records } from "./records.ts";
import { plainName } from "./requests.ts";

/** The scope of tools that declare none. */
export const BASE_SCOPE = "mcp";

/** A client that waits for the user at a browser to decide. */
export interface ConsentRequest {
  readonly id: string;
  readonly client: ConsentClient;
  /** The scopes of tools that the client asks for. The user may grant fewer. */
  readonly scopes: readonly string[];
}

/** A client as it describes itself, except where noted. */
export interface ConsentClient {
  readonly id: string;
  readonly name: string;
  /** The host, or the private scheme, that receives the code. It cannot be forged. */
  readonly host: string;
  /** True if the code goes to a program on the user's own device. */
  readonly isOnDevice: boolean;
  /** The host that published the client's description (client ID metadata document); undefined if nobody vouches for it. */
  readonly verifiedBy: string | undefined;
}

/** The decision of a user. */
export type ConsentDecision =
  | { readonly approve: true; readonly subject: string; readonly scopes: readonly string[] }
  | { readonly approve: false };

/** The next address of the browser, and the grant if the user approved. */
export interface Decided {
  readonly location: string;
  readonly grantId: string | undefined;
}

/** Returns the request with this id if this browser started it. */
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

/** Stores the decision; undefined if this browser has no such request. */
export async function decideRequest(
  provider: Provider,
  request: Request,
  { id, resource, decision, records }: Decision,
): Promise<Decided | undefined> {
  const interaction = await interactionOf(provider, request, id);
  // Decided already: the browser only has to follow its way back.
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

/** The waiting request of this browser: the cookie, which is signed, and the id in the address have to agree. */
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
