import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Memory and CPU of another process are read from /proc, which exists only on Linux. */
export const costIsKnown = existsSync("/proc/self/schedstat");

/** CPU time that a process and its children have used, in milliseconds. */
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

/** Resident memory of a process and its children, in megabytes. */
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

/** Threads and children may end between listing and reading. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
