import { expect, test } from "vitest";
import { notesCatalog, product, readStack } from "../../test/notes-product.ts";
import type { JsonObject } from "../json.ts";
import { createPipeline } from "../pipeline.ts";
import { provideServices } from "../product.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { callLog } from "./call-log.ts";
import { callMetrics, prometheusText } from "./metrics.ts";

test("calls are counted by tool and code, and logged with the reference given to the caller", async () => {
  const clock = new FakeClock();
  const metrics = callMetrics();
  const lines: JsonObject[] = [];
  const pipeline = createPipeline({
    catalog: notesCatalog,
    product,
    stackFor: () => readStack.bind({ clock }),
    services: provideServices(product, {
      store: () => {
        clock.advance(70);
        return { ok: true, value: { notes: new Map([["1", "hi"]]) } };
      },
    }),
    observers: [metrics.observer, callLog((line) => lines.push(line))],
    onBug: () => {},
    clock,
  });
  const caller = { transport: "http", client: "bread", principal: "token" } as const;
  for (const id of ["1", "1", "2"]) await pipeline.call({ tool: "get_note", args: { id }, caller });
  const broken = await pipeline.call({ tool: "break_down", args: { how: "throw" }, caller });

  const text = prometheusText(metrics.read());
  const done = 'mcp_method_name="tools/call",gen_ai_tool_name="get_note"';
  const name = "mcp_server_operation_duration_seconds";
  expect(text.split("\n")).toEqual(
    expect.arrayContaining([
      `# TYPE ${name} histogram`,
      `${name}_bucket{${done},le="0.05"} 0`,
      `${name}_bucket{${done},le="0.1"} 2`,
      `${name}_bucket{${done},le="+Inf"} 2`,
      `${name}_sum{${done}} 0.14`,
      `${name}_count{${done}} 2`,
      `${name}_count{${done},error_type="not_found"} 1`,
    ]),
  );

  expect(lines.map(({ tool, outcome, code }) => [tool, outcome, code])).toEqual([
    ["get_note", "done", undefined],
    ["get_note", "done", undefined],
    ["get_note", "failed", "not_found"],
    ["break_down", "failed", "internal"],
  ]);
  expect(lines[0]).toMatchObject({ elapsed_ms: 70, transport: "http", client: "bread", principal: "token" });
  const reference = lines.at(-1)?.reference;
  expect(JSON.stringify(broken)).toContain(`Reference ${String(reference)}`);
  expect(JSON.stringify(lines)).not.toContain("hunter2");
});

test("labels and help are escaped for Prometheus", () => {
  const samples = [{ labels: { path: 'C:\\a "b"\nc' }, value: Number.POSITIVE_INFINITY }];
  expect(prometheusText([{ name: "odd", help: "a\nb", type: "gauge", samples }])).toBe(
    '# HELP odd a\\nb\n# TYPE odd gauge\nodd{path="C:\\\\a \\"b\\"\\nc"} +Inf\n',
  );
});
