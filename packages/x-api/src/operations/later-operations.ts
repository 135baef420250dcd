import type { Operation } from "./types.ts";

export type LaterOperationId = "getUsageCredits";

/** Operations newer than the specification the table was generated from; drop each once the table has it. */
export const laterOperations: Readonly<Record<LaterOperationId, Operation>> = {
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
