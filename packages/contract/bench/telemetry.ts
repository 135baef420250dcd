import { execFileSync } from "node:child_process";
import { atMost, type Figure, figure } from "../../bench/src/figure.ts";
import { notesApp } from "../test/notes-product.ts";

/**
 * What a call costs with telemetry off and with OpenTelemetry's SDK around it, taking turns; and what a server loads of
 * OpenTelemetry while it is off.
 */
export async function benchTelemetry({
  rounds = 40,
  calls = 200,
}: {
  readonly rounds?: number;
  readonly calls?: number;
} = {}): Promise<readonly Figure[]> {
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const { BatchSpanProcessor, InMemorySpanExporter } = await import("@opentelemetry/sdk-trace");
  const { createHttpHandler } = await import("../src/mcp/http-handler.ts");
  const { openTelemetry } = await import("../src/otel/index.ts");
  const exporter = new InMemorySpanExporter();
  const sdk = new NodeSDK({
    spanProcessors: [new BatchSpanProcessor({ exporter })],
    metricReaders: [],
    logRecordProcessors: [],
    autoDetectResources: false,
  });
  sdk.start();
  const off = createHttpHandler(notesApp().app, { legacySessions: false });
  const on = createHttpHandler(notesApp().app, { legacySessions: false, telemetry: openTelemetry() });
  const costs = { off: [] as number[], on: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    costs.off.push(await cpuPerCall(off.fetch, calls));
    costs.on.push(await cpuPerCall(on.fetch, calls));
    exporter.reset();
  }
  await Promise.all([off.close(), on.close(), sdk.shutdown()]);
  const [offUs, onUs] = [median(costs.off), median(costs.on)];
  return [
    figure("telemetry: call with it off, CPU", offUs, "µs"),
    figure("telemetry: call with it on, CPU", onUs, "µs"),
    atMost("telemetry: on against off", onUs / offUs, "times", 1.5),
    atMost("telemetry: modules of OpenTelemetry loaded while it is off", modulesWhileOff(), "", 0),
  ];
}

async function cpuPerCall(fetch: (request: Request) => Promise<Response>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    const response = await fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          host: "localhost",
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: call,
          method: "tools/call",
          params: { name: "list_notes", arguments: {} },
        }),
      }),
    );
    if (!(await response.text()).includes('"success":true')) throw new Error("The call failed.");
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Asked of the loader in a process of its own, which imports all that a serving command does. */
function modulesWhileOff(): number {
  const script = `
    let count = 0;
    process.getBuiltinModule("node:module").registerHooks({
      resolve: (name, context, next) => { count += name.startsWith("@opentelemetry/"); return next(name, context); },
    });
    const { telemetryFrom } = await import(${JSON.stringify(new URL("../src/cli/telemetry.ts", import.meta.url).href)});
    await import(${JSON.stringify(new URL("../src/mcp/http.ts", import.meta.url).href)});
    await telemetryFrom({}, "bench", () => {});
    console.log(count);`;
  const args = ["--conditions=toolpact-source", "--input-type=module", "-e", script];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
