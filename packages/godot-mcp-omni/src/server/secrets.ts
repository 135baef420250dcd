/** Patterns of secrets. */
const SHAPES = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]{16,}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}\b/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{8,}=*/gi,
  /\/\/[^/\s:@"]+:[^/\s:@"]+@/g,
];

const MASK = "[secret]";
/** Shorter ones would mask ordinary words. */
const SHORTEST = 6;

/** Masks in a text the secrets of this server and everything that looks like a secret. */
export function maskSecrets(text: string, held: readonly string[]): string {
  const known = held.filter((secret) => secret.length >= SHORTEST);
  const masked = known.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return SHAPES.reduce((rest, shape) => rest.replace(shape, MASK), masked);
}
