import { failed, type Outcome, ok } from "@toolpact/outcome";

export type KeySet = ReturnType<typeof import("jose").createRemoteJWKSet>;

const BACK_OFF_MS = 5_000;
const PATIENCE_MS = 5_000;

/**
 * Returns the signing keys of an issuer, discovered on first use through its metadata. Concurrent callers share one
 * discovery. After a failure there is none for a while.
 */
export function issuerKeys(
  issuer: string,
  now: () => number = Date.now,
): () => Promise<Outcome<KeySet, string>> {
  let search: Promise<Outcome<KeySet, string>> | undefined;
  let searchAgainAt = Number.POSITIVE_INFINITY;
  return () => {
    if (search === undefined || now() >= searchAgainAt) {
      searchAgainAt = Number.POSITIVE_INFINITY;
      search = discover(issuer).then((found) => {
        if (!found.ok) searchAgainAt = now() + BACK_OFF_MS;
        return found;
      });
    }
    return search;
  };
}

async function discover(issuer: string): Promise<Outcome<KeySet, string>> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const flaws: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    const found = await keysAddress(address, issuer, signal);
    if (found.ok) return ok((await import("./jose.ts")).createRemoteJWKSet(found.value));
    flaws.push(`${address}: ${found.failure}`);
  }
  return failed(`No keys of the issuer were found. ${flaws.join("; ")}.`);
}

/** RFC 8414 puts its name in front of the issuer's path, OpenID Connect after it, and many servers mix the two. */
function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
    `${origin}/.well-known/${name}${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/${name}`]),
  ]);
}

async function keysAddress(
  address: string,
  issuer: string,
  signal: AbortSignal,
): Promise<Outcome<URL, string>> {
  let metadata: { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  try {
    const answer = await fetch(address, { signal });
    if (!answer.ok) return failed(`status ${answer.status}`);
    metadata = (await answer.json()) as typeof metadata;
  } catch (error) {
    return failed(`cannot be read (${(error as Error).name})`);
  }
  // RFC 8414 §3.3: metadata of another issuer must not be used.
  if (metadata?.issuer !== issuer) return failed("it is not this issuer's");
  const { jwks_uri } = metadata;
  return typeof jwks_uri === "string" && URL.canParse(jwks_uri)
    ? ok(new URL(jwks_uri))
    : failed("it has no jwks_uri");
}
