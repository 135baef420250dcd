import { isOperationId, type Operation } from "@toolpact/x-api/operations";
import type { Answer } from "./answer.ts";
import { minute, second } from "./clock.ts";
import type { Fault } from "./faults.ts";
import { authenticate, type Caller } from "./gate/authenticate.ts";
import { checkParams } from "./gate/check-query.ts";
import { Input } from "./gate/input.ts";
import { rateHeaders } from "./gate/rate-windows.ts";
import { type Route, routeOf } from "./gate/routes.ts";
import type { Call, Delivery, Reply } from "./http/exchange.ts";
import { readBody } from "./http/read-body.ts";
import { oauthEndpointOf } from "./oauth/endpoints.ts";
import { handlers } from "./operations/handlers.ts";
import type { Scene } from "./operations/scene.ts";
import * as problems from "./problems.ts";
import type { State } from "./state.ts";

/** Answers one request as X would, or as the faults that are planned have it. */
export async function serve(call: Call, state: State): Promise<Delivery> {
  const requestId = (++state.requests).toString(16).padStart(16, "0");
  const at = state.clock.now();
  const errand = errandOf(call);
  const fault = state.faults.meet(errand.name ?? call.path);
  const course = coursePrevented(fault, at) ?? (await errand.run(call, state, requestId));
  const answer = fault === undefined ? course.answer : (answerInstead(fault) ?? course.answer);
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

/** What became of a request: its answer, and what the journal wants to know. */
interface Course {
  readonly answer: Answer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: Caller;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly usd?: number;
}

interface Errand {
  readonly name: string | undefined;
  readonly run: (call: Call, state: State, requestId: string) => Course | Promise<Course>;
}

function errandOf(call: Call): Errand {
  const oauth = oauthEndpointOf(call.method, call.path);
  if (oauth !== undefined) {
    return {
      name: oauth.name,
      run: async (_, { apps, grants, world, clock }) => ({
        answer: await oauth.serve(call, { apps, grants, world, now: clock.now() }),
      }),
    };
  }
  const route = routeOf(call.method, call.path);
  if (route === undefined)
    return { name: undefined, run: () => ({ answer: problems.noSuchPath(call.path) }) };
  return {
    name: route.operation.id,
    run: (_, state, requestId) => runOperation(call, route, state, requestId),
  };
}

/** The gates of an operation, in order: who, how often, what, for how much; then the operation itself. */
async function runOperation(
  call: Call,
  { operation, path }: Route,
  state: State,
  requestId: string,
): Promise<Course> {
  const handler = isOperationId(operation.id) ? handlers[operation.id] : undefined;
  if (handler === undefined) return { answer: problems.notServed(operation.id) };
  const now = state.clock.now();
  const authenticated = authenticate(call, operation, {
    apps: state.apps,
    grants: state.grants,
    world: state.world,
    now,
  });
  if ("refusal" in authenticated) return { answer: authenticated.refusal };
  const { caller } = authenticated;
  const rate = state.windows.enter(operation, caller, now);
  const headers = rateHeaders(rate.states);
  if (!rate.allowed) return { answer: problems.rateLimited(), headers, caller };
  const checked = checkParams(operation, path, call.query);
  if ("bad" in checked) return { answer: problems.invalidRequest(checked.bad), headers, caller };
  const read = operation.body === undefined ? undefined : await readBody(call, operation.body);
  if (read !== undefined && "refusal" in read) return { answer: read.refusal, headers, caller };
  const input = new Input(checked.params, read?.fields, read?.files);
  const body = read === undefined || read.files.size > 0 ? {} : { body: read.fields.value };
  const unpaid = refusedForMoney(operation, state, caller, now);
  if (unpaid !== undefined) return { answer: unpaid, headers, caller, ...body };
  const answer = handler(input, sceneOf(state, caller, now));
  const usd = state.ledger.charge(requestId, operation, answer, isOwnedRead(operation, caller, input), now);
  return { answer, headers, caller, ...body, usd };
}

function sceneOf({ world, plan, ledger, streams }: State, caller: Caller, now: number): Scene {
  return {
    world,
    plan,
    ledger,
    streams,
    now,
    app: caller.app,
    viewer: caller.kind === "user" ? caller.person : undefined,
  };
}

/** X serves as long as something is left and lets the last request overdraw. It refuses in two shapes. */
function refusedForMoney(
  operation: Operation,
  { ledger, world }: State,
  caller: Caller,
  now: number,
): Answer | undefined {
  if (operation.price === undefined) return undefined;
  const accountId = world.personNamed(caller.app.owner)?.id ?? "0";
  if (ledger.balanceUsd <= 0)
    return operation.method === "GET" ? problems.creditsDepleted(accountId) : problems.paymentRequired();
  if (operation.price === "posts_read" && ledger.postsReadInMonth(now) >= ledger.monthlyPostCap)
    return problems.usageCapped(accountId);
  return undefined;
}

function isOwnedRead(operation: Operation, caller: Caller, input: Input): boolean {
  if (operation.ownedRead !== true || caller.kind !== "user") return false;
  return caller.person.username === caller.app.owner && input.text("id") === caller.person.id;
}

/** Faults that keep a request from taking effect. */
function coursePrevented(fault: Fault | undefined, now: number): Course | undefined {
  if (fault === undefined || fault.when === "after") return undefined;
  switch (fault.kind) {
    case "unauthorized":
      return { answer: problems.unauthorized() };
    case "rate_limited":
      return { answer: problems.rateLimited(), headers: usedUp(now) };
    case "slow":
    case "stall":
      return undefined;
    default:
      return { answer: problems.internalError(fault.status) };
  }
}

function usedUp(now: number): Record<string, string> {
  return rateHeaders([
    {
      pool: "user",
      limit: 100,
      seconds: 900,
      remaining: 0,
      resetAt: Math.ceil((now + 15 * minute) / second) * second,
    },
  ]);
}

function answerInstead(fault: Fault): Answer | undefined {
  if (fault.kind === "error") return problems.internalError(fault.status);
  return fault.kind === "html" ? problems.htmlPage(fault.status) : undefined;
}

function deliver(reply: Reply, fault: Fault | undefined): Delivery {
  switch (fault?.kind) {
    case "drop":
    case "reset":
    case "hang":
      return { how: fault.kind };
    case "slow":
      return { how: "slow", reply, chunks: fault.chunks, delayMs: fault.delayMs };
    case "stall":
      return { how: "stall", reply };
    default:
      return { how: "whole", reply };
  }
}

export function replyOf(answer: Answer, headers: Readonly<Record<string, string>> = {}): Reply {
  const { body } = answer;
  return {
    status: answer.status,
    headers: {
      "content-type": answer.contentType ?? "application/json; charset=utf-8",
      ...headers,
      ...answer.headers,
    },
    body: typeof body === "string" || isStream(body) ? body : JSON.stringify(body),
  };
}

function isStream(body: Exclude<Answer["body"], string>): body is AsyncIterable<string> {
  return Symbol.asyncIterator in body;
}
