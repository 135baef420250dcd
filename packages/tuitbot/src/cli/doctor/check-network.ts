import type { Check } from "@toolpact/cli";
import { clockTrouble } from "../../x/connection.ts";
import { broken, fine, skipped, warning } from "./check.ts";

const TIMEOUT_MS = 10_000;

/** Checks that X can be reached, without a token, and compares its clock with ours. */
export async function checkNetwork(
  baseUrl: string,
  fetch: typeof globalThis.fetch,
  now: () => number,
): Promise<readonly Check[]> {
  const { host } = new URL(baseUrl);
  let answer: Response;
  try {
    answer = await fetch(`${baseUrl}/2/openapi.json`, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    return [
      broken("network", `${host} cannot be reached.`, "Check the network, the proxy and x_api.base_url."),
      skipped("clock", "Needs the network."),
    ];
  }
  return [fine("network", `${host} answers.`), checkClock(answer.headers.get("date"), now())];
}

function checkClock(date: string | null, now: number): Check {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return skipped("clock", "X did not say what time it is.");
  const trouble = clockTrouble(now - theirs);
  return trouble === undefined
    ? fine("clock", "Agrees with X's.")
    : warning("clock", trouble.message, trouble.fix);
}
