import { createHmac, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "@toolpact/contract";

const PROTOCOL = 1;

/** What the other side says of itself. Trusted only after its proof. */
export interface Hello {
  readonly role: "engine" | "editor";
  readonly project: string;
  readonly version: string;
  /** Version of the addon, for an editor; those of before 0.2 do not tell it. */
  readonly addon: string | undefined;
  readonly pid: number;
  readonly nonce: string;
}

/**
 * Both sides prove that they know the token without sending it, so that a stranger on the port of a server that died
 * learns nothing and can request nothing.
 */
export function proof(token: string, side: "server" | "client", theirs: string, ours: string): string {
  return createHmac("sha256", token).update(`${side}:${theirs}:${ours}`).digest("hex");
}

export function provesToken(given: unknown, expected: string): boolean {
  if (typeof given !== "string") return false;
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

export function readHello(message: JsonObject): Hello | undefined {
  const hello = message.hello;
  if (typeof hello !== "object" || hello === null || !("nonce" in hello)) return undefined;
  const { role, project, version, addon, pid, nonce, protocol } = hello;
  if (protocol !== PROTOCOL || (role !== "engine" && role !== "editor")) return undefined;
  if (typeof project !== "string" || typeof version !== "string" || typeof nonce !== "string")
    return undefined;
  return {
    role,
    project,
    version,
    nonce,
    addon: typeof addon === "string" ? addon.slice(0, 40) : undefined,
    pid: typeof pid === "number" ? pid : 0,
  };
}
