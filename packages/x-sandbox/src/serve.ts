import { adsErrandOf } from "./ads/serve-ads.ts";
import type { Course } from "./course.ts";
import { routeOf } from "./gate/routes.ts";
import type { Call, Delivery } from "./http/exchange.ts";
import { oauthEndpointOf } from "./oauth/endpoints.ts";
import type { Registry } from "./oauth/registry.ts";
import { noSuchPath, rateLimited } from "./problems.ts";
import { replyOf } from "./reply.ts";
import { runOperation } from "./run-operation.ts";
import { answerInstead, courseInstead, deliver } from "./spoil.ts";
import { registryOf, type State } from "./state.ts";

/** Answers one request as X would, or as the faults that are planned have it. */
export async function serve(call: Call, state: State): Promise<Delivery> {
  const requestId = (++state.requests).toString(16).padStart(16, "0");
  const at = state.clock.now();
  const errand = errandOf(call);
  const fault = state.faults.meet(errand.name ?? call.path);
  const isRateLimited = fault?.kind === "rate_limited";
  const course = courseInstead(fault) ?? (await errand.run(state, requestId, isRateLimited));
  const answer = answerInstead(fault) ?? course.answer;
  const delivery = deliver(replyOf(answer, { ...course.headers, "x-transaction-id": requestId }), fault);
  state.journal.write({
    requestId,
    at,
    method: call.method,
    path: call.path,
    query: call.search,
    operation: errand.name,
    caller: course.caller?.kind ?? "nobody",
    user: course.caller?.kind === "user" ? course.caller.person.username : undefined,
    body: course.body,
    status: "reply" in delivery ? delivery.reply.status : undefined,
    fault: fault?.kind,
    usd: course.usd ?? 0,
  });
  return delivery;
}

/** What a request is for: an operation, an OAuth endpoint, the Ads API, or nothing that X has. */
interface Errand {
  readonly name: string | undefined;
  readonly run: (state: State, requestId: string, isRateLimited: boolean) => Course | Promise<Course>;
}

function errandOf(call: Call): Errand {
  const oauth = oauthEndpointOf(call.method, call.path);
  if (oauth !== undefined)
    return {
      name: oauth.name,
      run: unlessLimited(async (registry) => ({ answer: await oauth.serve(call, registry) })),
    };
  const ads = adsErrandOf(call.path);
  if (ads !== undefined)
    return { name: ads.name, run: unlessLimited((registry) => ads.serve(call, registry)) };
  const route = routeOf(call.method, call.path);
  if (route === undefined) return { name: undefined, run: () => ({ answer: noSuchPath(call.path) }) };
  return {
    name: route.operation.id,
    run: (state, requestId, isRateLimited) => runOperation(call, route, state, requestId, isRateLimited),
  };
}

/** Only operations have windows; elsewhere the fault by itself refuses. */
function unlessLimited(act: (registry: Registry) => Course | Promise<Course>): Errand["run"] {
  return (state, _requestId, isRateLimited) =>
    isRateLimited ? { answer: rateLimited() } : act(registryOf(state));
}
