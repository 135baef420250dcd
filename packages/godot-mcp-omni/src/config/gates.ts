import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Permissions that the operator gives; each is off unless its variable is `true`. */
export interface Gates {
  readonly allowDangerousOps: boolean;
  readonly allowExternalTools: boolean;
  readonly allowGameCode: boolean;
}

const VARIABLES = {
  allowDangerousOps: "ALLOW_DANGEROUS_OPS",
  allowExternalTools: "ALLOW_EXTERNAL_TOOLS",
  allowGameCode: "ALLOW_GAME_CODE",
} as const satisfies Record<keyof Gates, string>;

/** Every gate by the name of its variable, and whether it is open. */
export function gatesOf({ allowDangerousOps, allowExternalTools, allowGameCode }: Gates) {
  return {
    ALLOW_DANGEROUS_OPS: allowDangerousOps,
    ALLOW_EXTERNAL_TOOLS: allowExternalTools,
    ALLOW_GAME_CODE: allowGameCode,
  };
}

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

/**
 * The refusal of an expression that could run anything in the game, such as `OS.execute(…)`. Without parentheses
 * Godot's expressions read values and compare them, and call nothing.
 */
export function closedToCalls(gates: Gates, expression: string) {
  return expression.includes("(")
    ? closedGate(gates, "allowGameCode", "An expression that calls something")
    : undefined;
}
