import type { Guard, PlainExtras } from "@toolpact/contract";
import type { Access } from "@toolpact/x-api";
import { refusedByX } from "../toolkit/preflight.ts";
import { refusedDraft } from "../toolkit/write.ts";
import { mutationContexts } from "./call-context.ts";

/** Answers what X is known to refuse, before money, limits or a person's approval are spent on it. */
export function availabilityGuard(access: () => Access): Guard<PlainExtras> {
  return {
    name: "availability",
    codes: ["x_forbidden", "tweet_too_long", "invalid_input"],
    async around(_, next) {
      const context = mutationContexts.getStore();
      if (context === undefined || context.rebuilds !== undefined) return next();
      const { action, drafts } = context.mutation;
      const refusal =
        (action === undefined ? undefined : refusedByX(action, access())) ??
        firstOf(drafts, ({ text, mediaIds, replyTo, quoteOf }) =>
          refusedDraft(
            {
              text,
              mediaIds,
              ...(replyTo !== undefined && { replyTo }),
              ...(quoteOf !== undefined && { quoteOf }),
            },
            access(),
          ),
        );
      return refusal ?? next();
    },
  };
}

function firstOf<T, R>(items: readonly T[], look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
