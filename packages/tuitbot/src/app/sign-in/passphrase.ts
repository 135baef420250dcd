import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

export const MIN_PASSPHRASE = 12;

/** 32 MB and a quarter of a second per attempt. Stored hashes name their own cost. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** `scrypt$N$r$p$salt$key` */
export async function hashPassphrase(passphrase: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await keyOf(passphrase, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** Takes as long if none is stored. */
export async function isPassphrase(passphrase: string, stored: string | undefined): Promise<boolean> {
  const [kind, n, r, p, salt = "", key = ""] = (stored ?? NOBODY).split("$");
  const expected = Buffer.from(key, "base64url");
  if (kind !== "scrypt" || expected.length !== KEY_BYTES) return false;
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const given = await keyOf(passphrase, Buffer.from(salt, "base64url"), cost);
  return timingSafeEqual(given, expected) && stored !== undefined;
}

function keyOf(passphrase: string, salt: Uint8Array, cost: typeof COST): Promise<Buffer> {
  // Keyboards write the same letter in two forms.
  const text = passphrase.normalize("NFKC");
  return derive(text, salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r });
}

const NOBODY = ["scrypt", COST.N, COST.r, COST.p, "A".repeat(22), "A".repeat(43)].join("$");
