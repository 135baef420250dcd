import { type Failed, type Failure, failed, ok, type Success, type SuccessNotes } from "@toolpact/contract";
import { parseJson } from "@toolpact/contract/internal";
import type { Method } from "@toolpact/x-api";
import { errors } from "../../errors.ts";
import { objectIn, textIn, type XObject } from "../shapes/x-object.ts";
import { cleaned } from "../untrusted.ts";
import type { X } from "../x.ts";
import { type XErrorCode, xFailed } from "../x-errors.ts";
import type { FromX } from "./ask-x.ts";

/** All parameters are in the address. */
export interface AdsRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
}

export interface AdsAnswer {
  readonly data: unknown;
}

/** Once. */
export async function askAds(
  x: X,
  request: AdsRequest,
  signal: AbortSignal,
): Promise<FromX<AdsAnswer, XErrorCode> | Success<AdsAnswer, SuccessNotes>> {
  if (x.sendToAds === undefined) return adsRefused();
  const { method, path } = request;
  const query = Object.entries(request.query).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: String(value) }],
  );
  const sent = await x.sendToAds({ method, path, query, headers: [], host: "ads-api.x.com" }, { signal });
  if (!sent.ok) return failedBy(xFailed(sent.failure, method === "GET" ? "read" : "write"));
  const answer: XObject = objectIn(parseJson(sent.value.text));
  const next_token = textIn(answer, "next_cursor");
  const data = cleaned(answer.data);
  if (!Array.isArray(data)) return ok({ data });
  const pagination = {
    ...(next_token !== undefined && { next_token }),
    result_count: data.length,
    has_more: next_token !== undefined,
  };
  return ok({ data }, { pagination });
}

/** Signing in does not fix wrong keys. */
function failedBy({ failure }: ReturnType<typeof xFailed>): Failed<Failure<XErrorCode>> {
  const { code } = failure;
  if (code !== "x_auth_expired" && code !== "x_not_configured") return failed({ ...failure, code });
  const suggestedFix = "The operator checks the keys of the section `ads`.";
  return failed({ ...failure, code: "x_auth_expired", suggestedFix });
}

/** The Ads API accepts only OAuth 1.0a, and the sign-in is OAuth 2.0. */
export function adsRefused(): Failed<Failure<"x_not_configured">> {
  return errors.fail(
    "x_not_configured",
    "X's Ads API takes only requests signed with OAuth 1.0a, and there are no keys to sign with. Nothing was sent.",
    {
      suggestedFix: "The operator sets the four keys of the section `ads`.",
      fixBy: "operator",
      details: { host: "ads-api.x.com", needs: "oauth1" },
    },
  );
}
