import { type OperationId as SpecOperationId, table } from "./table.gen.ts";
import type { Operation } from "./types.ts";

type LaterOperationId = "getUsageCredits";

/** Operations newer than the specification the table was generated from; drop each once the table has it. */
const laterOperations: Readonly<Record<LaterOperationId, Operation>> = {
  // In X's specification since 2.168. Free of charge.
  getUsageCredits: {
    id: "getUsageCredits",
    method: "GET",
    path: "/2/usage/credits",
    host: "https://api.x.com",
    tag: "Usage",
    params: [],
    answer: { status: 200, data: "object" },
    auth: [{ scheme: "oauth2", scopes: [] }, { scheme: "bearer" }],
  },
};

export type OperationId = SpecOperationId | LaterOperationId;

/** Every operation of X's API that this version knows, by id. */
export const operations: Readonly<Record<OperationId, Operation>> = { ...table, ...laterOperations };

export function isOperationId(id: string): id is OperationId {
  return Object.hasOwn(operations, id);
}

export { prices, specVersion } from "./table.gen.ts";
export type { Auth, Body, Field, Method, Operation, Param, ValueRule, Window } from "./types.ts";
