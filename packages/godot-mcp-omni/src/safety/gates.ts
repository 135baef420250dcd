import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** What an operator opens on purpose; each is closed unless its variable is `true`. */
export interface Gates {
  readonly allowDangerousOps: boolean;
  readonly allowExternalTools: boolean;
}

type Refusal = Failed<Failure<"E_PERMISSION_DENIED">>;

/** Undefined where the gate is open. */
export function dangerousOps(gates: Gates, what: string): Refusal | undefined {
  return gates.allowDangerousOps ? undefined : refusal("ALLOW_DANGEROUS_OPS", what);
}

function refusal(gate: "ALLOW_DANGEROUS_OPS", what: string): Refusal {
  return errors.fail("E_PERMISSION_DENIED", `${what} is refused while ${gate} is not true.`, {
    details: { gate },
    suggestedFix: `The operator can start the server with ${gate}=true.`,
    fixBy: "operator",
  });
}
