import type { Failed, Failure, Success } from "@toolpact/contract";
import { type CallArgs, type OperationId, operations, type XAnswer, type XClient } from "@toolpact/x-api";
import { type XErrorCode, xFailed } from "../x-errors.ts";

/** What asking X comes to. */
export type FromX<T, Code extends string = XErrorCode> = Success<T> | Failed<Failure<Code>>;

/** One operation of X, with its failures in the words of the contract. `Data` is the caller's claim, see `XClient.call`. */
export async function askX<Data>(
  client: XClient,
  operation: OperationId,
  args: CallArgs,
): Promise<FromX<XAnswer<Data>>> {
  const answer = await client.call<Data>(operation, args);
  if (answer.ok) return answer;
  return xFailed(answer.failure, operations[operation].method === "GET" ? "read" : "write");
}
