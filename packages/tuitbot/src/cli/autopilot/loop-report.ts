import type { JsonObject } from "@toolpact/contract";
import type { LoopEnd, LoopName } from "../../autopilot/pass.ts";
import type { TickReport } from "../../autopilot/tick.ts";

/** The result of each loop of a pass, one line each. */
export function passText({ loops }: TickReport): string {
  return [...loops].map(([name, end]) => `${name.padEnd(10)} ${endText(end)}`).join("\n");
}

/** One line about what a loop did; undefined if it did nothing. */
export function loopLine(name: LoopName, end: LoopEnd): string | undefined {
  const isWorthIt = end.status === "failed" || (end.status === "completed" && hasActed(end.counts));
  return isWorthIt ? `${name.padEnd(10)} ${endText(end)}` : undefined;
}

export function passJson({ loops }: TickReport): JsonObject {
  return Object.fromEntries([...loops].map(([name, end]) => [name, endJson(end)]));
}

export function errorsOf({ loops }: TickReport): string[] {
  return [...loops].flatMap(([name, end]) =>
    end.status === "failed" ? [`${name}: ${end.failure.code}: ${end.failure.message}`] : [],
  );
}

function endText(end: LoopEnd): string {
  switch (end.status) {
    case "completed": {
      const counts = Object.entries(end.counts).filter(([, count]) => count > 0);
      return (
        counts.map(([what, count]) => `${count} ${what.replaceAll("_", " ")}`).join(", ") || "nothing to do"
      );
    }
    case "skipped":
      return `skipped: ${end.reason}`;
    case "failed":
      return `failed: ${end.failure.message}`;
  }
}

function endJson(end: LoopEnd): JsonObject {
  switch (end.status) {
    case "completed":
      return { status: end.status, detail: { ...end.counts } };
    case "skipped":
      return { status: end.status, reason: end.reason };
    case "failed": {
      const { code, message, reason } = end.failure;
      return { status: end.status, error: { code, message, ...(reason !== undefined && { reason }) } };
    }
  }
}

/** Counting followers happens every hour and is not worth a line. */
function hasActed(counts: Readonly<Record<string, number>>): boolean {
  return Object.entries(counts).some(([what, count]) => what !== "followers" && count > 0);
}
