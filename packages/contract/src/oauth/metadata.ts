import { isPublic, PATHS } from "./provider.ts";

interface Described {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Requested by clients at first. */
  readonly firstScopes: readonly string[];
  readonly hasRegistration: boolean;
}

export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** Documents by path (RFC 9728 and 8414). Some clients look for the first at the root only. */
export function metadataDocuments(described: Described): ReadonlyMap<string, object> {
  const { issuer, resource, scopes, firstScopes, hasRegistration } = described;
  const protectedResource = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: firstScopes,
    bearer_methods_supported: ["header"],
  };
  return new Map<string, object>([
    [`${RESOURCE_METADATA}${new URL(resource).pathname}`, protectedResource],
    [RESOURCE_METADATA, protectedResource],
    [
      "/.well-known/oauth-authorization-server",
      {
        issuer,
        authorization_endpoint: `${issuer}${PATHS.authorization}`,
        token_endpoint: `${issuer}${PATHS.token}`,
        revocation_endpoint: `${issuer}${PATHS.revocation}`,
        ...(hasRegistration && { registration_endpoint: `${issuer}${PATHS.registration}` }),
        scopes_supported: scopes,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: isPublic(issuer),
      },
    ],
  ]);
}
