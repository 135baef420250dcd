import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "@toolpact/contract/internal";
import { sameDigest } from "@toolpact/contract/internal/guards";

interface DeviceOwner {
  readonly account: string;
  readonly person: string;
}

/**
 * The cookie of a browser in which a user signed in. It signs nobody in, but gives the next sign-in separate
 * attempts.
 */
export function signDevice(key: Uint8Array, owner: DeviceOwner): string {
  const id = randomBytes(16).toString("base64url");
  return `${id}.${signatureOf(key, owner, id)}`;
}

/** Undefined for any other cookie. */
export function knownDevice(key: Uint8Array, owner: DeviceOwner, cookie = ""): string | undefined {
  const [id = "", signature = ""] = cookie.split(".");
  return sameDigest(signature, signatureOf(key, owner, id)) ? id : undefined;
}

function signatureOf(key: Uint8Array, { account, person }: DeviceOwner, id: string): string {
  return createHmac("sha256", key)
    .update(canonicalJson(["known device", account, person, id]))
    .digest("base64url");
}
