import { existsSync, readdirSync, readFileSync } from "node:fs";

/** /proc exists only on Linux. */
export const costIsKnown = existsSync("/proc/self/schedstat");

/** Milliseconds of a process and its children. */
export function cpuMs(pid: number): number {
  if (!costIsKnown) return Number.NaN;
  let nanoseconds = 0;
  for (const member of tree(pid)) {
    for (const thread of readdirSync(`/proc/${member}/task`)) {
      const [running] = read(`/proc/${member}/task/${thread}/schedstat`).split(" ");
      nanoseconds += Number(running);
    }
  }
  return nanoseconds / 1e6;
}

/** Megabytes of a process and its children. */
export function rssMb(pid: number): number {
  if (!costIsKnown) return Number.NaN;
  let kilobytes = 0;
  for (const member of tree(pid)) {
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${member}/status`))?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

function tree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(tree)];
}

/** Processes may end between listing and reading. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
