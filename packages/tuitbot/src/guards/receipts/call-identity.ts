import type { JsonObject } from "@toolpact/contract";
import { digest } from "@toolpact/contract/internal";

/** What makes two calls the same. */
export interface MutationIdentity {
  /** Of account, tool and the caller's key, or of all arguments where the caller gave no key. */
  readonly claim: string;
  /** Of account, tool and all arguments. */
  readonly argsDigest: string;
  readonly hasKey: boolean;
  /** The key is the product's own, which it gives to one thing only. */
  readonly hasOwnKey: boolean;
}

export function identityOf(account: string, tool: string, input: JsonObject): MutationIdentity {
  const argsDigest = digest([account, tool, withoutOptions(input)]);
  const key = input[IDEMPOTENCY_KEY];
  return typeof key === "string"
    ? {
        claim: digest([account, tool, "key", key]),
        argsDigest,
        hasKey: true,
        hasOwnKey: key.startsWith(OWN_KEY),
      }
    : { claim: argsDigest, argsDigest, hasKey: false, hasOwnKey: false };
}

/** The argument that names a call: the same key is the same call, another key another call. */
export const IDEMPOTENCY_KEY = "idempotency_key";
/** The prefix of keys that only the product itself may use, such as that of a scheduled post. */
export const OWN_KEY = "tuitbot:";
/** The argument that accepts what X charges for a post with a link. */
export const ACCEPT_URL_PRICE = "accept_url_price";

/** Arguments that do not change what a call does. `resume` continues a call that began without it. */
const OPTIONS: ReadonlySet<string> = new Set([IDEMPOTENCY_KEY, ACCEPT_URL_PRICE, "resume"]);

export function withoutOptions(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !OPTIONS.has(name)));
}
