import { expect, test } from "vitest";
import { type Figures, METRICS } from "../metrics.ts";
import { type BenchResult, judge, type ServerFigures } from "../result.ts";
import { together } from "../runs.ts";
import { chartOf } from "./chart.ts";
import { figuresMarkdown, withFigures, withSections } from "./write-docs.ts";

function figures(value: number): Figures {
  return Object.fromEntries(Object.keys(METRICS).map((metric) => [metric, value])) as Figures;
}

const servers: readonly ServerFigures[] = [
  { transport: "stdio", figures: { node: figures(1), "sdk-v2": figures(4), toolpact: figures(2) } },
  { transport: "http", figures: { "sdk-v2": figures(1), toolpact: figures(2) } },
];
const result: BenchResult = {
  quick: false,
  node: "v26.0.0",
  platform: "linux x64",
  date: "2026-11-15",
  counts: {
    warmUpStarts: 0,
    starts: 1,
    settleMs: 0,
    warmUpRounds: 0,
    rounds: 1,
    listsPerRound: 1,
    callsPerRound: 1,
    maxRoundMs: 1,
    atOnce: 1,
  },
  versions: { "sdk-v2": "2.4.0" },
  servers,
  goals: judge(servers),
  sections: [{ name: "x-api", rows: [{ name: "a call", value: 12, unit: "µs", goal: { atMost: 10 } }] }],
};

test("goals are judged as ratios, met or missed, and only if measured", () => {
  const judged = result.goals.map(({ name, ratio, goal, met }) => `${name}: ${ratio} ${goal} ${met}`);
  expect(judged).toContain("stdio: memory at start, against sdk-v2: 0.5 ≤ 0.8× true");
  expect(judged).toContain("stdio: cold start to first answer, against node: 2 ≤ 1.4× false");
  expect(judged).toContain("http: calls per second, 16 at once, against sdk-v2: 2 ≥ 5× false");
  expect(judged.some((goal) => goal.startsWith("http: cold start to first answer, against node"))).toBe(
    false,
  );
});

test("the page names missed goals with the reason", () => {
  const page = figuresMarkdown(result).replaceAll(/ +/g, " ");
  expect(page).toContain("| stdio: cold start to first answer, against node | 2.00× | ≤ 1.4× | missed |");
  expect(page).toMatch(/Missed, stdio: cold start to first answer, against node: .*zod/);
  expect(page).toContain("| memory at start, MB | 1.00 (0.25×) | 4.00 (1.00×) | 2.00 (0.50×) |");
  expect(page).toContain("| a call | 12.0 µs | ≤ 10 | missed |");
});

test("the page names the version of each framework", () => {
  expect(figuresMarkdown(result)).toContain("each the newest that could be installed: sdk-v2 2.4.0.");
});

test("a server that could not be measured is named with the reason, once", () => {
  const leftOut = [{ name: "xmcp", why: "it cannot be fetched" }] as const;
  const page = figuresMarkdown(together([result, { ...result, leftOut }, { ...result, leftOut }]));
  expect(page.split("Left out: xmcp; it cannot be fetched")).toHaveLength(2);
});

test("of several runs the page has the median and the spread, and a goal is met only if all of them meet it", () => {
  const run = (ours: number): BenchResult => {
    const of: readonly ServerFigures[] = [
      { transport: "stdio", figures: { "sdk-v2": figures(1), toolpact: figures(ours) } },
    ];
    const rows = [{ name: "a call", value: 10 * ours, unit: "µs", goal: { atMost: 7.5 } }];
    return { ...result, servers: of, goals: judge(of), sections: [{ name: "x-api", rows }] };
  };
  const page = figuresMarkdown(together([run(0.7), run(0.9), run(0.6)])).replaceAll(/ +/g, " ");
  expect(page).toContain("2026-11-15, the median of 3 runs");
  expect(page).toContain(
    "| stdio: memory at start, against sdk-v2 | 0.70× (0.60×–0.90×) | ≤ 0.8× | missed in 1 of 3 |",
  );
  expect(page).toContain("| stdio: tools/list size, against sdk-v2 | 0.70× (0.60×–0.90×) | ≤ 1.1× | met |");
  expect(page).toContain("| a call | 7.00 µs (6.00–9.00) | ≤ 7.5 | missed in 1 of 3 |");
});

test("a run of one section replaces only its table, or appends it", () => {
  const table = (value: number) => ({
    ...result,
    servers: [],
    sections: [{ name: "x-api", rows: [{ name: "a call", value, unit: "µs" }] }],
  });
  const begin = "<!-- Written by `npm run bench -- --docs`; do not edit by hand. -->";
  const page = `# Page\n\n### x-api\n\nprose\n\n${begin}\n\n### a\n\nold\n\n<!-- End of what is written. -->\n`;
  const added = withSections(page, table(7));
  expect(added.replaceAll(/ +/g, " ")).toMatch(
    /### a\n\nold\n\n### x-api\n\nNode v26\.0\.0 on linux x64, 2026-11-15\.\n\n[\s\S]*\| a call \| 7\.00 µs \|[\s\S]*\n\n<!-- End/,
  );
  expect(withSections(added, table(8))).toBe(added.replace("7.00", "8.00"));
});

test("a run of the servers only keeps the tables of the sections", () => {
  const begin = "<!-- Written by `npm run bench -- --docs`; do not edit by hand. -->";
  const end = "<!-- End of what is written. -->";
  const old = `${begin}\n\nstale\n\n### Goals of it\n\nstale\n\n### Servers over http\n\nstale\n\n`;
  const page = withFigures(`# Page\n\n${old}### x-api\n\nkept\n\n${end}\n`, { ...result, sections: [] });
  expect(page).toMatch(
    /^# Page\n\n<!-- Written [^\n]*\n\nNode v26\.0\.0[\s\S]*\n\n### x-api\n\nkept\n\n<!-- End/,
  );
  expect(page).not.toContain("stale");
  expect(withFigures(page, result)).not.toContain("kept");
});

test("the chart draws a bar as long as its ratio, inverted for metrics with more is better", () => {
  const chart = chartOf(result);
  expect(chart).toContain(">0.50×</text>");
  // Half the SDK's time is a bar of half the length; twice as many calls a second cost half as much each.
  expect(chart.match(/width="105.0"[^>]*>.*?0\.50×/g)).toHaveLength(10);
  expect(chart.match(/width="420.0"[^>]*>.*?2\.00×/g)).toHaveLength(8);
});

test("the chart shows starts, first calls and slowest calls on both transports, won or lost", () => {
  const chart = chartOf(result);
  const timed = [
    "coldStartMs",
    "firstListMs",
    "firstCallMs",
    "firstCallAtOnceMs",
    "startToCallMs",
    "callP50Ms",
    "callP99Ms",
  ] as const;
  for (const metric of timed)
    for (const transport of ["stdio", "HTTP"])
      expect(chart).toContain(`>${transport}: ${METRICS[metric].title}</text>`);
});
