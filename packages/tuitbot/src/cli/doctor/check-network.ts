import type { Check } from "@toolpact/cli";
import { broken, fine, skipped, warning } from "./check.ts";

const TIMEOUT_MS = 10_000;
/** A clock that is further off misjudges when tokens expire. */
const MAX_SKEW_MS = 60_000;

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
  const skew = now - theirs;
  if (Math.abs(skew) <= MAX_SKEW_MS) return fine("clock", "Agrees with X's.");
  const off = `${Math.round(Math.abs(skew) / 60_000)} min ${skew > 0 ? "ahead of" : "behind"}`;
  return warning(
    "clock",
    `This machine's clock is ${off} X's.`,
    "Set the clock of this machine from the network.",
  );
}
