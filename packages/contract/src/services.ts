import type { AnyErrorCatalog, Failure } from "./errors.ts";
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

export interface Services {
  /** Exactly the services named, or the failure of the first that is not to be had. */
  readonly resolve: (needs: readonly string[], signal: AbortSignal) => Promise<Outcome<object, Failure>>;
}

/** A provider that succeeded is not asked again; one that failed is. */
export function provideServices<S extends object>(
  product: Pick<ProductDefinition<AnyErrorCatalog, S, string, string>, "services">,
  providers: Providers<S>,
): Services {
  const ready = new Map<string, unknown>();
  return {
    async resolve(needs, signal) {
      const resolved: Record<string, unknown> = {};
      for (const need of needs) {
        if (!ready.has(need)) {
          const key = need as keyof S & string;
          const provided = await providers[key](signal);
          if (!provided.ok) return failed({ ...provided.failure, code: product.services[key] });
          ready.set(need, provided.value);
        }
        resolved[need] = ready.get(need);
      }
      return ok(resolved);
    },
  };
}
