import type { RpcRequest } from "./era.ts";

/** A running server and a method to send it requests. */
export interface Connection {
  readonly pid: number;
  /** Resolves with the server's answer; rejects if it is an error. */
  readonly request: (request: RpcRequest) => Promise<RpcAnswer>;
  /** Ends the server. */
  readonly close: () => Promise<void>;
}

export interface RpcAnswer {
  readonly result: RpcResult;
  /** Length of the JSON on the wire. */
  readonly bytes: number;
}

/** The parts of a result that the benchmark reads. */
export interface RpcResult {
  readonly tools?: readonly { readonly name: string; readonly outputSchema?: object }[];
  readonly isError?: boolean;
  readonly structuredContent?: object;
}

interface RpcMessage {
  readonly id?: number;
  readonly result?: RpcResult;
  readonly error?: { readonly code: number; readonly message: string };
}

export function messageOf(text: string): RpcMessage {
  return JSON.parse(text);
}

export function resultOf({ result, error }: RpcMessage): RpcResult {
  if (result === undefined || result.isError)
    throw new Error(`The server answered with an error: ${JSON.stringify(error ?? result)}`);
  return result;
}
