import { EFFECTS, type Guard } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Refuses whatever changes something while the server is read-only. */
export function readOnlyGate(readOnly: boolean): Guard {
  return {
    name: "read-only",
    codes: ["E_PERMISSION_DENIED"],
    async around(call, next) {
      if (!readOnly || !EFFECTS[call.effect].mutates) return next();
      const what = call.action === undefined ? call.tool.name : `${call.tool.name} ${call.action}`;
      return errors.fail("E_PERMISSION_DENIED", `${what} changes something, and this server is read-only.`, {
        details: { gate: "READ_ONLY" },
        suggestedFix: "The operator can start the server without --read-only.",
        fixBy: "operator",
      });
    },
  };
}
