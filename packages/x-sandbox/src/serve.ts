import { adsRequestOf } from "./ads/serve-ads.ts";
import { SandboxClock } from "./clock.ts";
import type { Fault } from "./faults.ts";
import { routeOf } from "./gate/routes.ts";
import { type Answer, replyOf } from "./http/answer.ts";
import type { Call, Delivery, Reply } from "./http/exchange.ts";
import * as problems from "./http/problems.ts";
import { noSuchPath, rateLimited } from "./http/problems.ts";
import { oauthEndpointOf } from "./oauth/endpoints.ts";
import type { Registry } from "./oauth/grants.ts";
import { type RequestResult, runOperation } from "./run-operation.ts";
import { registryOf, type State } from "./state.ts";

/** As X would, or as a fault requires. */
export async function serve(call: Call, state: State): Promise<Delivery> {
  await catchUp(state);
  const requestId = (++state.requests).toString(16).padStart(16, "0");
  const at = state.clock.now();
  const target = targetOf(call);
  const fault = state.faults.meet(target.name ?? call.path);
  const isRateLimited = fault?.kind === "rate_limited";
  const isLate = fault?.kind === "late" || fault?.kind === "late_reset";
  const result =
    resultInstead(fault) ??
    (isLate
      ? await putOff(call, state, requestId, at + fault.delayMs)
      : await target.run(state, requestId, isRateLimited));
  const answer = answerInstead(fault) ?? result.answer;
  const headers = {
    date: new Date(state.clock.now()).toUTCString(),
    ...result.headers,
    "x-transaction-id": requestId,
  };
  const delivery = deliver(replyOf(answer, headers), fault);
  state.journal.write({
    requestId,
    at,
    method: call.method,
    path: call.path,
    query: call.search,
    operation: target.name,
    caller: result.caller?.kind ?? "nobody",
    user: result.caller?.kind === "user" ? result.caller.person.username : undefined,
    body: result.body,
    status: "reply" in delivery ? delivery.reply.status : undefined,
    fault: fault?.kind,
    usd: result.usd ?? 0,
  });
  return delivery;
}

/** Its caller gets no answer. */
async function putOff(call: Call, state: State, requestId: string, at: number): Promise<RequestResult> {
  const parts: Uint8Array[] = [];
  for await (const part of call.body ?? []) parts.push(part);
  const kept = call.body === undefined ? call : { ...call, body: replay(parts) };
  state.late.push({ at, run: async (then) => targetOf(kept).run(then, requestId, false) });
  return { answer: noSuchPath(call.path) };
}

async function* replay(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** People's actions and late requests. */
export async function catchUp(state: State): Promise<void> {
  state.activity?.catchUp(state.clock.now());
  await runLateRequests(state);
}

/** Each at its own time. */
async function runLateRequests(state: State): Promise<void> {
  const now = state.clock.now();
  const due = state.late.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
  if (due.length === 0) return;
  state.late.splice(0, state.late.length, ...state.late.filter(({ at }) => at > now));
  for (const { at, run } of due) await run({ ...state, clock: new SandboxClock(at) });
}

interface RequestTarget {
  readonly name: string | undefined;
  readonly run: (
    state: State,
    requestId: string,
    isRateLimited: boolean,
  ) => RequestResult | Promise<RequestResult>;
}

function targetOf(call: Call): RequestTarget {
  const oauth = oauthEndpointOf(call.method, call.path);
  if (oauth !== undefined)
    return {
      name: oauth.name,
      run: unlessLimited(async (registry) => ({ answer: await oauth.serve(call, registry) })),
    };
  const ads = adsRequestOf(call.path);
  if (ads !== undefined)
    return { name: ads.name, run: unlessLimited((registry) => ads.serve(call, registry)) };
  const route = routeOf(call.method, call.path);
  if (route === undefined) return { name: undefined, run: () => ({ answer: noSuchPath(call.path) }) };
  return {
    name: route.operation.id,
    run: (state, requestId, isRateLimited) => runOperation(call, route, state, requestId, isRateLimited),
  };
}

/** Only operations have rate windows. */
function unlessLimited(
  act: (registry: Registry) => RequestResult | Promise<RequestResult>,
): RequestTarget["run"] {
  return (state, _requestId, isRateLimited) =>
    isRateLimited ? { answer: rateLimited() } : act(registryOf(state));
}

function resultInstead(fault: Fault | undefined): RequestResult | undefined {
  if (fault === undefined || fault.when === "after") return undefined;
  switch (fault.kind) {
    case "unauthorized":
      return { answer: problems.unauthorized() };
    case "rate_limited": // the gate refuses, which knows the caller's window
    case "slow":
    case "stall":
    case "late": // the request is put off
    case "late_reset":
      return undefined;
    default:
      return { answer: problems.internalError(fault.status) };
  }
}

function answerInstead(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === "error") return problems.internalError(fault.status);
  return fault?.kind === "html" ? problems.htmlPage(fault.status) : undefined;
}

function deliver(reply: Reply, fault: Fault | undefined): Delivery {
  switch (fault?.kind) {
    case "drop":
    case "reset":
    case "hang":
      return { how: fault.kind };
    case "late":
      return { how: "hang" };
    case "late_reset":
      return { how: "reset" };
    case "slow":
      return { how: "slow", reply, chunks: fault.chunks, delayMs: fault.delayMs };
    case "stall":
      return { how: "stall", reply };
    default:
      return { how: "whole", reply };
  }
}
