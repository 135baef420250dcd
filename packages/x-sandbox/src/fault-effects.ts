import type { Answer } from "./answer.ts";
import type { Fault } from "./faults.ts";
import type { Delivery, Reply } from "./http/exchange.ts";
import * as problems from "./problems.ts";
import type { RequestResult } from "./run-operation.ts";

/** The result of a request that a fault keeps from taking effect. */
export function resultInstead(fault: Fault | undefined): RequestResult | undefined {
  if (fault === undefined || fault.when === "after") return undefined;
  switch (fault.kind) {
    case "unauthorized":
      return { answer: problems.unauthorized() };
    case "rate_limited": // the gate refuses, which knows the caller's window
    case "slow":
    case "stall":
      return undefined;
    default:
      return { answer: problems.internalError(fault.status) };
  }
}

/** The answer that a fault puts in place of the real one. */
export function answerInstead(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === "error") return problems.internalError(fault.status);
  return fault?.kind === "html" ? problems.htmlPage(fault.status) : undefined;
}

/** How the reply is delivered to the caller, if at all. */
export function deliver(reply: Reply, fault: Fault | undefined): Delivery {
  switch (fault?.kind) {
    case "drop":
    case "reset":
    case "hang":
      return { how: fault.kind };
    case "slow":
      return { how: "slow", reply, chunks: fault.chunks, delayMs: fault.delayMs };
    case "stall":
      return { how: "stall", reply };
    default:
      return { how: "whole", reply };
  }
}
