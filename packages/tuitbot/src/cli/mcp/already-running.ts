import type { CommandFailure } from "@toolpact/cli";
import { isJsonObject } from "@toolpact/contract/internal";
import { type Failed, failed } from "@toolpact/outcome";
import type { Context } from "../context.ts";

/** The failure of a second start; undefined for a malformed address, or if no tuitbot answers there. */
export async function alreadyRunning(
  given: string | undefined,
  fallback: { readonly host: string; readonly port: number },
  { machine }: Context,
): Promise<Failed<CommandFailure> | undefined> {
  if (given === undefined) return undefined;
  const found = /^(?:(.+):)?(\d+)$/.exec(given);
  if (found === null && given !== "") return undefined;
  const [, host = fallback.host, port = String(fallback.port)] = found ?? [];
  const url = `http://${host}:${port}/`;
  try {
    const answer = await machine.fetch(new URL("/api/session", url), {
      signal: AbortSignal.timeout(PROBE_MS),
    });
    if (!isJsonObject(await answer.json())) return undefined;
  } catch {
    return undefined;
  }
  return failed({
    message: `tuitbot is already running at ${url}`,
    fix: `Open ${url} in your browser; \`npx tuitbot web\` prints a new sign-in link. To start another server, name a port: --http PORT.`,
  });
}

const PROBE_MS = 3_000;
