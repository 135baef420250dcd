import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Permissions that the operator gives; each is off unless its variable is `true`. */
export interface Gates {
  readonly allowDangerousOps: boolean;
  readonly allowExternalTools: boolean;
}

const VARIABLES = {
  allowDangerousOps: "ALLOW_DANGEROUS_OPS",
  allowExternalTools: "ALLOW_EXTERNAL_TOOLS",
} as const satisfies Record<keyof Gates, string>;

/** Undefined where the gate is open, else the refusal, which names it. */
export function closedGate(
  gates: Gates,
  gate: keyof Gates,
  what: string,
): Failed<Failure<"E_PERMISSION_DENIED">> | undefined {
  if (gates[gate]) return undefined;
  const variable = VARIABLES[gate];
  return errors.fail("E_PERMISSION_DENIED", `${what} is refused while ${variable} is not true.`, {
    details: { gate: variable },
    suggestedFix: `The operator can start the server with ${variable}=true.`,
    fixBy: "operator",
  });
}
