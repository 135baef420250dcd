import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { openSqlite } from "../../src/guards/index.ts";
import { openPostgres } from "../../src/guards/postgres.ts";
import type { HttpOptions, HttpServing } from "../../src/mcp/http.ts";
import { openSignIn } from "../../src/oauth/index.ts";
import type { OpenedSignIn, SignInOptions } from "../../src/oauth/open-sign-in.ts";
import { serve } from "../raw-http.ts";

export const PASSPHRASE = "open sesame";
const KEY = randomBytes(32);

interface SignInServer extends HttpServing {
  readonly signIn: OpenedSignIn;
  readonly origin: string;
  readonly errors: Error[];
}

/** `place` is a file of SQLite, or an address of PostgreSQL. */
export async function serveSignIn(
  options: Partial<SignInOptions> = {},
  place = ":memory:",
  http: Partial<HttpOptions> = {},
): Promise<SignInServer> {
  const database = await (place.startsWith("postgres") ? openPostgres(place) : openSqlite(place));
  onTestFinished(() => database.close());
  const person = async (passphrase: string) => (passphrase === PASSPHRASE ? "ann" : undefined);
  const signIn = openSignIn({ title: "Notes", database, key: KEY, consent: { person }, ...options });
  const errors: Error[] = [];
  const server = await serve({ ...http, signIn, onError: (error) => void errors.push(error) });
  return { ...server, signIn, origin: new URL(server.url).origin, errors };
}
