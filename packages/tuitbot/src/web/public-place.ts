import { readFile } from "node:fs/promises";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Config } from "../config/schema.ts";
import type { PublicPlace } from "./reach.ts";

/** How other machines reach the web app, as configured; undefined where they do not. */
export function publicPlaceOf({ public_url, tls_cert }: Config["server"]): PublicPlace | undefined {
  if (public_url === undefined) return undefined;
  return { origin: new URL(public_url).origin, isBehindProxy: tls_cert === undefined };
}

/** Certificate and key, where this server does TLS itself. */
export async function readTls({
  tls_cert,
  tls_key,
}: Config["server"]): Promise<
  Outcome<
    { readonly cert: string; readonly key: string } | undefined,
    { readonly message: string; readonly fix: string }
  >
> {
  if (tls_cert === undefined || tls_key === undefined) return ok(undefined);
  const { createSecureContext } = await import("node:tls");
  try {
    const [cert, key] = await Promise.all([readFile(tls_cert, "utf8"), readFile(tls_key, "utf8")]);
    createSecureContext({ cert, key });
    return ok({ cert, key });
  } catch (error) {
    // Node's file functions and OpenSSL throw errors with a code; their texts may quote the key.
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    return failed({
      message: `The files of server.tls_cert and server.tls_key cannot be used (${code}).`,
      fix: "Name the certificate chain and its key, both in PEM and readable by this user.",
    });
  }
}
