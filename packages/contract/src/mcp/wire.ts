/**
 * A result of ours as the SDK's types spell it out. This is the one cast to them: surfaces, content blocks and
 * messages are read-only JSON made from typed declarations, while the SDK infers mutable types from its schemas.
 */
export function wireResult<Result>(json: object): Result {
  return json as Result;
}
