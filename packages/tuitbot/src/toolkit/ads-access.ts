import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** X's advertising API takes requests signed by OAuth 1.0a only, and a sign-in here is OAuth 2.0. */
export function adsRefused(): Failed<Failure<"x_forbidden">> {
  return errors.fail(
    "x_forbidden",
    "X's Ads API takes only requests signed with OAuth 1.0a, and this server signs in with OAuth 2.0. Nothing was sent.",
    {
      reason: "unsupported_authentication",
      suggestedFix: "Nothing here changes this. A person can do it at ads.x.com.",
      fixBy: "human",
      details: { host: "ads-api.x.com", needs: "oauth1", has: "oauth2" },
    },
  );
}
