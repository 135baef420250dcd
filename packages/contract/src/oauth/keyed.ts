import { createHmac } from "node:crypto";
import { once } from "@toolpact/outcome";

const MIN_KEY_BYTES = 32;

/** A keyed digest. */
export type Keyed = (text: string) => Promise<string>;

export function keyedWith(key: Uint8Array | (() => Promise<Uint8Array>)): Keyed {
  const bytes = once(async () => {
    const found = typeof key === "function" ? await key() : key;
    if (found.length < MIN_KEY_BYTES)
      throw new Error(`The key has ${found.length} bytes; ${MIN_KEY_BYTES} are needed.`);
    return found;
  });
  return async (text) =>
    createHmac("sha256", await bytes())
      .update(`sign-in ${text}`)
      .digest("base64url");
}
