import { type OperationId, operations } from "../operations/index.ts";

/**
 * The scopes to ask the user for so that these operations can be called, and so that the sign-in outlives the two
 * hours of its first token.
 *
 * @example
 * scopesFor(["createPosts"]); // ["offline.access", "tweet.read", "tweet.write", "users.read"]
 */
export function scopesFor(operationIds: Iterable<OperationId>): readonly string[] {
  const scopes = new Set(["offline.access"]);
  for (const id of operationIds) {
    for (const auth of operations[id].auth) {
      if (auth.scheme === "oauth2") for (const scope of auth.scopes) scopes.add(scope);
    }
  }
  return [...scopes].sort();
}
