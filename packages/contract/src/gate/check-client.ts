import { clientIn } from "./clients.ts";
import { decisionOf, gateErrors, gateProduct } from "./gate-product.ts";
import type { SignedInCallers } from "./gate-sign-in.ts";

/** Refuses signed-in clients that were revoked meanwhile, or may only read. */
export function checkClient(signedIn: SignedInCallers | undefined) {
  return gateProduct.guard({
    name: "check client",
    codes: () => ["denied_by_policy"],
    async run(call, next) {
      const { principal } = call.caller;
      if (principal === undefined || clientIn(principal) === undefined) return next();
      const client = await signedIn?.refresh(principal);
      if (client === undefined)
        return gateErrors.fail("denied_by_policy", "This client was revoked. Nothing was sent.");
      if (client.mayWrite || decisionOf(call).rule === "read_only") return next();
      return gateErrors.fail(
        "denied_by_policy",
        `This client may only read, and ${call.tool.name} does more. Nothing was sent.`,
        {
          suggestedFix: `The owner allows more with toolpact gate clients change ${client.name} --may write.`,
        },
      );
    },
  });
}
