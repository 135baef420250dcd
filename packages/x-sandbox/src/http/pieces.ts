import type { Reply } from "./exchange.ts";

/** A body cut into pieces of about the same length. */
export function pieces(reply: Reply, count: number): string[] {
  if (typeof reply.body !== "string") return [];
  const size = Math.max(1, Math.ceil(reply.body.length / count));
  return reply.body.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
}
