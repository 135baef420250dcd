import { isOperationId, type Operation } from "@toolpact/x-api/operations";
import { authenticate, type Caller } from "./gate/authenticate.ts";
import { checkParams } from "./gate/check-query.ts";
import { rateHeaders } from "./gate/rate-windows.ts";
import type { Route } from "./gate/routes.ts";
import type { Answer } from "./http/answer.ts";
import type { Call } from "./http/exchange.ts";
import { Input } from "./http/input.ts";
import * as problems from "./http/problems.ts";
import { readBody } from "./http/read-body.ts";
import type { OperationContext } from "./operations/context.ts";
import { handlers } from "./operations/handlers.ts";
import { registryOf, type State } from "./state.ts";

/** Checks authentication, rate limits, arguments and credits, in this order. */
export async function runOperation(
  call: Call,
  { operation, path }: Route,
  state: State,
  requestId: string,
  isRateLimited: boolean,
): Promise<RequestResult> {
  const handler = isOperationId(operation.id) ? handlers[operation.id] : undefined;
  if (handler === undefined) return { answer: problems.notServed(operation.id) };
  const registry = registryOf(state);
  const { now } = registry;
  const authenticated = authenticate(call, operation, registry);
  if ("refusal" in authenticated) return { answer: authenticated.refusal };
  const { caller } = authenticated;
  const { windows } = state;
  const rate = isRateLimited ? windows.refuse(operation, caller, now) : windows.enter(operation, caller, now);
  const headers = rateHeaders(rate);
  if (!rate.allowed) return { answer: problems.rateLimited(), headers, caller };
  const checked = checkParams(operation, path, call.query);
  if ("bad" in checked) return { answer: problems.invalidRequest(checked.bad), headers, caller };
  const read = operation.body === undefined ? undefined : await readBody(call, operation.body);
  if (read !== undefined && "refusal" in read) return { answer: read.refusal, headers, caller };
  const input = new Input(checked.params, read?.fields, read?.files);
  const body = read === undefined || read.files.size > 0 ? {} : { body: read.fields.value };
  const unpaid = refusedForMoney(operation, state, caller, now);
  if (unpaid !== undefined) return { answer: unpaid, headers, caller, ...body };
  const answer = handler(input, contextOf(state, caller, now));
  const usd = state.ledger.charge(requestId, operation, answer, isOwnedRead(operation, caller, input), now);
  return { answer, headers, caller, ...body, usd };
}

function contextOf({ world, plan, ledger, streams }: State, caller: Caller, now: number): OperationContext {
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

/** The last request may overdraw. Reads and writes get different errors. */
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

export interface RequestResult {
  readonly answer: Answer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: Caller;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly usd?: number;
}
