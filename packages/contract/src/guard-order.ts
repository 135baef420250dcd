/** A guard of this library whose place among the others decides whether they protect anything. */
export type OrderedGuard =
  | "deadline"
  | "decisionsTold"
  | "settleLeftovers"
  | "noMoreThan"
  | "personDecides"
  | "nothingTwice";

const RIGHT_ORDER =
  "The right order is deadline, decisionsTold, settleLeftovers, noMoreThan, personDecides, nothingTwice; leave out those that you do not need.";

/** Each guard with those that must stand behind it. */
const BEHIND: Readonly<Record<OrderedGuard, readonly OrderedGuard[]>> = {
  // A call that it cuts off may still take effect, so it must not look to the receipt like one that failed.
  deadline: ["nothingTwice"],
  // It sees only what the guards behind it answer.
  decisionsTold: ["personDecides", "nothingTwice"],
  settleLeftovers: ["personDecides", "nothingTwice"],
  // Both guards behind it take what it works out.
  noMoreThan: ["personDecides", "nothingTwice"],
  // The receipt uses the approval up.
  personDecides: ["nothingTwice"],
  nothingTwice: [],
};

/** These do their work only together with the receipt: without it, nothing uses up a budget or an approval. */
const NEED_RECEIPT: readonly OrderedGuard[] = ["settleLeftovers", "noMoreThan", "personDecides"];

/** Throws where the guards of a stack, in order, would not protect what they promise to. */
export function checkGuardOrder(stack: string, guards: readonly (OrderedGuard | undefined)[]): void {
  const problem = orderProblem(guards.filter((guard) => guard !== undefined));
  if (problem !== undefined)
    throw new Error(
      `The guards of the stack ${JSON.stringify(stack)} do not work: ${problem} ${RIGHT_ORDER}`,
    );
}

function orderProblem(guards: readonly OrderedGuard[]): string | undefined {
  for (const [at, guard] of guards.entries()) {
    const before = guards.slice(0, at);
    // A second deadline does no harm.
    if (guard !== "deadline" && before.includes(guard)) return `${guard} stands there twice.`;
    const wrong = BEHIND[guard].find((behind) => before.includes(behind));
    if (wrong !== undefined) return `${guard} stands behind ${wrong}.`;
    if (NEED_RECEIPT.includes(guard) && !guards.includes("nothingTwice"))
      return `${guard} needs nothingTwice behind it.`;
  }
  return undefined;
}
