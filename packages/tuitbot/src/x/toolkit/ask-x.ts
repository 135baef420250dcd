import { type Failed, type Failure, ok, type Success } from "@toolpact/contract";
import { type CallArgs, type OperationId, operations, type XAnswer, type XClient } from "@toolpact/x-api";
import { textIn, type XObject } from "../shapes/x-object.ts";
import type { Me, X } from "../x.ts";
import { type XErrorCode, xFailed } from "../x-errors.ts";

export type FromX<T, Code extends string = XErrorCode> = Success<T> | Failed<Failure<Code>>;

/** `Data` is the caller's claim, see `XClient.call`. */
export async function askX<Data>(
  client: XClient,
  operation: OperationId,
  args: CallArgs,
): Promise<FromX<XAnswer<Data>>> {
  const answer = await client.call<Data>(operation, args);
  if (answer.ok) return isNoneFound(answer.value) ? noneFound(answer.value) : ok(withoutHoles(answer.value));
  return xFailed(answer.failure, operations[operation].method === "GET" ? "read" : "write");
}

/** Removes `null` from lists. */
function withoutHoles<Data>(answer: XAnswer<Data>): XAnswer<Data> {
  const { data } = answer;
  if (!Array.isArray(data) || !data.includes(null)) return answer;
  // Still a list of the claimed type.
  return { ...answer, data: data.filter((one) => one !== null) as Data };
}

/** Only reasons why each was missing: a failure for agents. */
function isNoneFound({ data, errors }: XAnswer<unknown>): boolean {
  return Array.isArray(data) && data.length === 0 && errors.length > 0;
}

function noneFound({ errors }: XAnswer<unknown>): Failed<Failure<XErrorCode>> {
  const { failure } = xFailed({ kind: "not_found", message: "X shows none of what was asked for." }, "read");
  const missing = errors.slice(0, 100).map(({ value, resource_id }) => String(value ?? resource_id ?? ""));
  return { ok: false, failure: { ...failure, details: { ...failure.details, missing } } };
}

export type WithMe = Pick<X, "client" | "me">;

export async function signedIn(x: WithMe, signal: AbortSignal): Promise<FromX<Me>> {
  const me = await x.me(signal);
  return me.ok ? me : xFailed(me.failure, "read");
}

/** Ids stay; `me` and @names are looked up. */
export async function idOfPerson(x: WithMe, person: string, signal: AbortSignal): Promise<FromX<string>> {
  if (person === "me") {
    const me = await signedIn(x, signal);
    return me.ok ? ok(me.value.id) : me;
  }
  if (!person.startsWith("@")) return ok(person);
  const found = await askX<XObject>(x.client, "getUsersByUsername", {
    path: { username: person.slice(1) },
    signal,
  });
  return found.ok ? ok(textIn(found.value.data, "id") ?? "") : found;
}
