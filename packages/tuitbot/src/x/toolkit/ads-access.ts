import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../../errors.ts";

/** X's Ads API takes requests signed by OAuth 1.0a only, and a sign-in here is OAuth 2.0. */
export function adsRefused(isRaw = false): Failed<Failure<"x_forbidden">> {
  return errors.fail(
    "x_forbidden",
    "X's Ads API takes only requests signed with OAuth 1.0a, which this one is not. Nothing was sent.",
    {
      reason: "unsupported_authentication",
      suggestedFix: isRaw
        ? "Use the x_ads_ tools: they sign with the keys of the section `ads`."
        : "The operator sets the four keys of the section `ads`.",
      fixBy: isRaw ? "agent" : "operator",
      details: { host: "ads-api.x.com", needs: "oauth1" },
    },
  );
}
