import { createHmac } from "node:crypto";
import { sameDigest } from "../guards/internal.ts";

/** Longer than any cookie of a sign-in lives. */
const PERIOD_MS = 24 * 60 * 60 * 1_000;

/** Keys derived from one secret, new every day. The day before is accepted. */
export function cookieKeys(key: Uint8Array, now: () => number) {
  const signed = (data: string, period: number) => {
    const daily = createHmac("sha256", key).update(`cookie ${period}`).digest();
    return createHmac("sha256", daily).update(data).digest("base64url");
  };
  const today = () => Math.floor(now() / PERIOD_MS);
  const index = (data: string, digest: string) =>
    [0, 1].findIndex((age) => sameDigest(signed(data, today() - age), digest));
  return {
    sign: (data: string) => signed(data, today()),
    index,
    verify: (data: string, digest: string) => index(data, digest) >= 0,
  };
}
