import type { AnyErrorSet, Failure } from "./errors.ts";
import { failed, type Outcome, ok } from "./outcome.ts";
import type { ProductDefinition } from "./product.ts";

/** How each service of a product is had, on the first call that needs it. */
export type Providers<S> = {
  readonly [K in keyof S]: (signal: AbortSignal) => Promise<Outcome<S[K], Missing>>;
};

/** Why a service is not to be had, and what to do about it. */
export interface Missing {
  readonly message: string;
  readonly suggestedFix?: string;
  readonly fixBy?: "agent" | "operator" | "human";
}

/** The services of a product, each made when a call first needs it. */
export interface Services {
  /** Exactly the services named, or the failure of the first that is not to be had. */
  readonly resolve: (needs: readonly string[], signal: AbortSignal) => Promise<Outcome<object, Failure>>;
}

/**
 * How the services of a product are had. A provider that succeeded is not asked again; one that failed is.
 *
 * ```ts
 * const services = provideServices(product, {
 *   store: async () => failed({ message: "The store is closed.", suggestedFix: "Open it.", fixBy: "operator" }),
 * });
 * ```
 */
export function provideServices<S extends object>(
  product: Pick<ProductDefinition<AnyErrorSet, S, string, string>, "services">,
  providers: Providers<S>,
): Services {
  type Name = keyof S & string;
  const asked = new Map<Name, Promise<Outcome<unknown, Missing>>>();

  /** Calls that come at the same time share one service. */
  function provide(name: Name, signal: AbortSignal): Promise<Outcome<unknown, Missing>> {
    const already = asked.get(name);
    if (already !== undefined) return already;
    const providing = providers[name](signal);
    const forget = () => asked.delete(name);
    providing.then((provided) => provided.ok || forget(), forget);
    asked.set(name, providing);
    return providing;
  }

  return {
    async resolve(needs, signal) {
      const resolved: Record<string, unknown> = {};
      // A product's tools name its own services only.
      for (const name of needs as readonly Name[]) {
        const provided = await provide(name, signal);
        if (!provided.ok) return failed({ ...provided.failure, code: product.services[name] });
        resolved[name] = provided.value;
      }
      return ok(resolved);
    },
  };
}
