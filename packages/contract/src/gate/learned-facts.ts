import { resolve } from "node:path";
import { argumentKinds, type CallFacts } from "../guards/learning/call-facts.ts";
import { canonicalJson, type Json } from "../json.ts";
import { CONTENTS, folderOf, isPath, isWebAddress } from "./narrow-rule.ts";
import { hasSecrets } from "./shown-call.ts";
import type { SimilarCall } from "./similar-rules.ts";

/**
 * A call behind a gate, as the shared engine groups calls: by tool, caller, kinds of arguments, and folder, host or value
 * of each argument that is no content. A single number is an amount; one rule can cover different ones.
 */
export function learnedFacts({ tool, args, principal, context }: SimilarCall): CallFacts {
  const named = Object.entries(args).filter(([name]) => !CONTENTS.has(name));
  const amounts = named.filter(([, value]) => typeof value === "number" && value >= 0);
  const amount = amounts.length === 1 ? amounts[0] : undefined;
  const others = named.filter((one) => one !== amount);
  const isFenced = context?.change !== undefined || hasSecrets(args);
  return {
    scope: "gate",
    // No identity is one too: such callers share a rule. A caller's name cannot look like it.
    caller: principal === undefined ? "none" : `caller ${principal}`,
    tool,
    effect: "call",
    argumentKinds: argumentKinds(args),
    target: canonicalJson(Object.fromEntries(others.map(([name, value]) => [name, kindOf(value ?? null)]))),
    manner: "",
    micros: 0,
    length: 0,
    amount: typeof amount?.[1] === "number" ? amount[1] : 0,
    // A new or changed tool, and a call with a secret.
    fences: isFenced ? ["hard_rule"] : [],
  };
}

function kindOf(value: Json): Json {
  if (typeof value !== "string") return value;
  if (isPath(value)) return { folder: folderOf(resolve(value)) };
  return isWebAddress(value) ? { host: new URL(value).hostname } : value;
}
