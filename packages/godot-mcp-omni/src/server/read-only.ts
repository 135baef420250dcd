import { EFFECTS, guard } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Refuses whatever changes something while the server is read-only. */
export const readOnlyGate = guard<{ dependencies: { readonly readOnly: boolean } }>({
  name: "read-only",
  codes: ({ effects }) => (effects.some((effect) => EFFECTS[effect].mutates) ? ["E_PERMISSION_DENIED"] : []),
  async run(call, next, { readOnly }) {
    if (!readOnly || !EFFECTS[call.effect].mutates) return next();
    const what = call.action === undefined ? call.tool.name : `${call.tool.name} ${call.action}`;
    return errors.fail("E_PERMISSION_DENIED", `${what} changes something, and this server is read-only.`, {
      details: { gate: "READ_ONLY" },
      suggestedFix: "The operator can start the server without --read-only.",
      fixBy: "operator",
    });
  },
});
