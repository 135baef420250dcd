import type { Failed, Failure } from "@toolpact/contract";
import { errors } from "../errors.ts";

/** Permissions from the operator; each is off unless its variable is `true`. */
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

export function gatesOf({ allowDangerousOps, allowExternalTools, allowGameCode }: Gates) {
  return {
    ALLOW_DANGEROUS_OPS: allowDangerousOps,
    ALLOW_EXTERNAL_TOOLS: allowExternalTools,
    ALLOW_GAME_CODE: allowGameCode,
  };
}

/** Undefined if the gate is open, else a refusal that names it. */
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

/** The refusal of an expression that does more than read values of the game, such as `OS.execute(…)`. */
export function closedToCalls(gates: Gates, expression: string) {
  return readsOnly(expression)
    ? undefined
    : closedGate(gates, "allowGameCode", "An expression that does more than read");
}

/**
 * True if GDScript code only reads: no statements, and no calls except to methods with a getter-like name, constructors
 * and math functions. A getter of the project runs project code, as the game does anyway.
 */
export function readsOnly(expression: string): boolean {
  // The content of a string is not code.
  const code = expression.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  const calls = [...code.matchAll(/([A-Za-z_]\w*)?\s*\(/g)].flatMap(([, name]) =>
    name === undefined || OPERATORS.has(name) ? [] : [name],
  );
  if (/[;\n#]|(?:^|[^=!<>])=(?!=)/.test(code) || STATEMENT.test(code)) return false;
  return calls.every((name) => READS.test(name)) && (calls.length === 0 || !SYSTEM.test(code));
}

const OPERATORS = new Set(["and", "or", "not", "in"]);
const STATEMENT =
  /\b(?:var|const|for|while|if|else|match|return|pass|break|continue|await|func|class|assert|preload|load)\b/;
/** Singletons that expose the machine rather than the game. */
const SYSTEM = /\b(?:OS|DisplayServer|JavaScriptBridge|JavaClassWrapper|ClassDB|ResourceLoader|IP|Engine)\b/;
const READS =
  /^(?:get|get_(?!stack\b)\w+|is_\w+|has|has_\w+|can_\w+|size|length|length_squared|count|find|is_empty|keys|values|front|back|distance_to|distance_squared_to|angle|angle_to|dot|cross|normalized|abs|absf|absi|min|max|minf|maxf|mini|maxi|clamp|round|roundf|roundi|floor|floori|ceil|ceili|snapped|sign|sqrt|str|int|float|bool|Vector[234]i?|Color|Rect2i?|NodePath|StringName|String|begins_with|ends_with|contains|to_int|to_float|to_lower|to_upper|overlaps_(?:area|body)|to_local|to_global)$/;
