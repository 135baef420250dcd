import type { JsonObject } from "@toolpact/contract";
import type { LoopEnd } from "../../autopilot/pass.ts";
import type { TickReport } from "../../autopilot/tick.ts";

/** What each loop of a pass came to, a line each. */
export function passText({ loops }: TickReport): string {
  return [...loops].map(([name, end]) => `${name.padEnd(10)} ${endText(end)}`).join("\n");
}

/** What was done, in one line; empty where nothing was. */
export function passLine({ loops }: TickReport): string {
  return [...loops]
    .filter(([, end]) => end.status === "failed" || (end.status === "completed" && hasDone(end.counts)))
    .map(([name, end]) => `${name}: ${endText(end)}`)
    .join("; ");
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

/** Followers are counted every hour, which is no news. */
function hasDone(counts: Readonly<Record<string, number>>): boolean {
  return Object.entries(counts).some(([what, count]) => what !== "followers" && count > 0);
}
