import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { AnyErrorSet, Failure } from "./errors.ts";
import type { Product } from "./product.ts";
import type { ProductTypes } from "./product-types.ts";

/** How each service of a product is built for one call, from the context that guards added to the call. */
export type Providers<T extends ProductTypes> = {
  readonly [K in keyof T["services"]]: (
    context: Partial<T["context"]>,
    signal: AbortSignal,
  ) => Outcome<T["services"][K], Missing> | Promise<Outcome<T["services"][K], Missing>>;
};

/** Why a service is not available, and what to do about it. */
export interface Missing {
  /** The code of the service, unless given. */
  readonly code?: string;
  readonly message: string;
  readonly suggestedFix?: string;
  readonly fixBy?: "agent" | "operator" | "human";
}

/** The services of a product, built for each call that needs them. */
export interface Services<Context = object> {
  /** Exactly the services named, or the failure of the first that is not available. */
  readonly resolve: (
    needs: readonly string[],
    context: Context,
    signal: AbortSignal,
  ) => Promise<Outcome<object, Failure>>;
}

/**
 * How the services of a product are built. A provider is called for every call that needs its service; what all calls
 * share is made with `once`.
 *
 * ```ts
 * const open = once(async () => ok({ notes: new Map<string, string>() }));
 * const services = provideServices(product, { store: () => open() });
 * ```
 */
export function provideServices<
  T extends ProductTypes,
  E extends AnyErrorSet,
  C extends string,
  P extends string,
>(product: Product<T, E, C, P>, providers: Providers<T>): Services<Partial<T["context"]>> {
  type Name = keyof T["services"] & string;
  return {
    async resolve(needs, context, signal) {
      const resolved: Record<string, unknown> = {};
      // A product's tools name its own services only.
      for (const name of needs as readonly Name[]) {
        const provided = await providers[name](context, signal);
        if (!provided.ok) return failed({ code: product.services[name], ...provided.failure });
        resolved[name] = provided.value;
      }
      return ok(resolved);
    },
  };
}
