import type { Call, Guard } from "./call.ts";
import type { Dialect } from "./dialect.ts";
import type { JsonObject } from "./json.ts";
import type { AnyOutcome } from "./tool.ts";

/** Everything that can happen to a call beside its tool: guards in order, and how the answer is told. */
export interface Lane<Extras> {
  readonly name: string;
  readonly guards: readonly Guard<Extras>[];
  readonly dialect: Dialect<Extras>;
}

/** A lane whose type of metadata is sealed in. */
export interface SealedLane {
  readonly name: string;
  readonly codes: readonly string[];
  readonly dialect: Dialect<never>;
  readonly through: (
    call: Call<JsonObject>,
    run: (signal: AbortSignal) => Promise<AnyOutcome>,
  ) => Promise<AnyOutcome>;
}

/**
 * Reading the list of guards tells everything that can happen to a call. A guard that annotates metadata
 * which the dialect does not carry does not compile.
 *
 * ```ts
 * const writes = lane({
 *   name: "writes",
 *   guards: [deadline(errors), idempotency({ errors })],
 *   dialect: successEnvelope(errors).timed,
 * });
 * ```
 */
export function lane<Extras extends JsonObject>({ name, guards, dialect }: Lane<Extras>): SealedLane {
  return {
    name,
    codes: [...new Set(guards.flatMap((guard) => guard.codes))],
    // Sealed: only this lane's guards ever annotate a call that this dialect renders.
    dialect: dialect as Dialect<never>,
    through: (call, run) => enter(guards, 0, call, run),
  };
}

function enter<Extras extends JsonObject>(
  guards: readonly Guard<Extras>[],
  index: number,
  call: Call<JsonObject>,
  run: (signal: AbortSignal) => Promise<AnyOutcome>,
): Promise<AnyOutcome> {
  const guard = guards[index];
  if (guard === undefined) return run(call.signal);
  return guard.around(call, (signal) =>
    enter(guards, index + 1, signal === undefined ? call : { ...call, signal }, run),
  );
}
