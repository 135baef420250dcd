import type { Failure, Outcome } from "@toolpact/contract";
import type { GodotCode } from "../errors.ts";
import type { Operation, ParamsOf, ResultOf } from "./operations.ts";

/** A Godot that answers requests: the warm headless engine or a connected editor. */
export interface GodotDriver {
  readonly mode: "engine" | "editor";
  /** Real path of the project's folder. */
  readonly project: string;
  /** As the binary says it, such as `4.6.3.stable`. */
  readonly version: string;
  /** Never throws and never hangs: every way to fail is a typed failure. */
  request<O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    options?: RequestOptions,
  ): Promise<Outcome<ResultOf<O>, Failure<GodotCode>>>;
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Overrides the operation's own limit in `OPERATIONS`. */
  readonly timeoutMs?: number;
}
