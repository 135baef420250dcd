import { type LaterOperationId, laterOperations } from "./later-operations.ts";
import { type OperationId as SpecOperationId, table } from "./table.gen.ts";
import type { Operation } from "./types.ts";

export type OperationId = SpecOperationId | LaterOperationId;

/** Every operation of X's API that this version knows, by id. */
export const operations: Readonly<Record<OperationId, Operation>> = { ...table, ...laterOperations };

export function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(operations, id);
}

export { prices, specVersion } from "./table.gen.ts";
export type { Auth, Body, Field, Method, Operation, Param, ValueRule, Window } from "./types.ts";
