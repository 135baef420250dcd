import type { RpcRequest } from "./era.ts";

export interface Connection {
  readonly pid: number;
  /** Rejects if the answer is an error. */
  readonly request: (request: RpcRequest) => Promise<RpcAnswer>;
  readonly close: () => Promise<void>;
}

export interface RpcAnswer {
  readonly result: RpcResult;
  readonly bytes: number;
}

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
