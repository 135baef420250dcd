import { failed, type Outcome, ok } from "@toolpact/outcome";
import { visible } from "../guards/shown-text.ts";
import type { JsonObject } from "../json.ts";
import { maskSecrets } from "../redact.ts";
import { openServerMemory, placeDigest } from "./server-memory.ts";
import { Upstream, type UpstreamInfo } from "./upstream.ts";
import type { UpstreamPlace } from "./upstream-place.ts";

/** A server's description of itself, and its tools. */
export interface LearnedServer {
  readonly place: UpstreamPlace;
  readonly info: UpstreamInfo;
  readonly tools: readonly JsonObject[];
}

/** Starts a server once and lists its tools. If that fails, the error has the end of what the server printed. */
export async function learnServer(place: UpstreamPlace, signal: AbortSignal): Promise<LearnedServer> {
  let printed = "";
  const upstream = new Upstream(
    place,
    {},
    {
      printed(text) {
        printed = `${printed}${text}`.slice(-MAX_PRINTED);
      },
      notified: () => {},
      asked: () => Promise.reject(new Error("Questions are not answered here.")),
      lost: () => {},
    },
  );
  try {
    const info = await withSignal(upstream.info(), signal);
    const tools = info.capabilities.tools === undefined ? [] : await upstream.tools(signal);
    return { place, info, tools };
  } catch (error) {
    const { message } = error as Error;
    const lines = visible(maskSecrets(printed)).trim();
    throw new Error(lines === "" ? message : `${message} It printed:\n${lines.replaceAll(/^/gm, "  ")}`);
  } finally {
    // A server that does not answer does not close either.
    void upstream.close();
  }
}

const MAX_PRINTED = 2_000;

/** Accepts the tools of servers that have never run, by their names in the policy. Fails with a sentence. */
export async function acceptFirstTools(
  toolsFile: string,
  servers: readonly (LearnedServer & { readonly name: string })[],
): Promise<Outcome<undefined, string>> {
  try {
    const memory = openServerMemory(toolsFile);
    for (const { name, place, info, tools } of servers)
      await memory.remember(name, { place: placeDigest(place), info, listed: tools });
    return ok(undefined);
  } catch (error) {
    return failed((error as Error).message);
  }
}

function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(new Error("It did not answer in time.")), { once: true }),
    ),
  ]);
}
