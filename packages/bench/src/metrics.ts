export const METRICS = {
  coldStartMs: { title: "cold start to first answer", unit: "ms" },
  coldStartCpuMs: { title: "cold start CPU", unit: "ms" },
  memoryMb: { title: "memory at start", unit: "MB" },
  firstListMs: { title: "first tools/list", unit: "ms" },
  firstCallMs: { title: "first tools/call", unit: "ms" },
  firstCallAtOnceMs: { title: "first tools/call, client without pauses", unit: "ms" },
  startToCallMs: { title: "start, list and first call, client without pauses", unit: "ms" },
  listMs: { title: "tools/list p50", unit: "ms" },
  listCpuMs: { title: "tools/list CPU", unit: "ms" },
  listBytes: { title: "tools/list size", unit: "bytes" },
  inputListBytes: { title: "tools/list size without output schemas", unit: "bytes" },
  callP50Ms: { title: "tools/call p50", unit: "ms" },
  callP99Ms: { title: "tools/call p99", unit: "ms" },
  callCpuUs: { title: "tools/call CPU", unit: "µs" },
  callsPerSecond: { title: "calls per second, 16 at once", unit: "/s" },
} as const satisfies Record<string, { readonly title: string; readonly unit: string }>;

export type Metric = keyof typeof METRICS;

/** NaN if it could not be measured. */
export type Figures = Readonly<Record<Metric, number>>;

export type Transport = "stdio" | "http";
