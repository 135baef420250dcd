import type { Json } from "@toolpact/contract";
import { escaped, lanes, lineChart, seriesOf } from "./charts.ts";
import type { Played } from "./played.ts";
import type { RecordedInput, Recording, Watched } from "./recording.ts";
import type { CheckVerdict, Verdict } from "./verdict.ts";

export interface ReportParts {
  /** Name of the recording, such as `jump`. */
  readonly name: string;
  /** Name of the project. */
  readonly project: string;
  readonly recording: Recording;
  readonly played: Played;
  readonly verdict: Verdict;
  /** The watched values, in the order of the samples. */
  readonly watched: readonly string[];
  readonly pictures: readonly { readonly frame: number; readonly instance: number; readonly png: Buffer }[];
  /** The reason for missing screenshots. */
  readonly withoutPictures?: string;
  readonly madeAt: number;
}

/** The longest frame that does not count as a stutter, at 60 frames a second. */
const SMOOTH_MS = 1000 / 60;
const MAX_OUTPUT = 60;
const DARK = `--page:#0f1216;--card:#181d23;--ink:#e8ecf1;--soft:#98a3b0;--edge:#2a313a;--good:#5fd08a;--bad:#ff7b72;--goodback:#143323;--badback:#3d1d1d;--c0:#6ea8fe;--c1:#ffb454;--c2:#73d2a5;--c3:#d6a4ff;--c4:#ff8fa3;--c5:#8bd5e8;--mark:#3c4653`;

/** One self-contained page: screenshots, values over time, inputs, frame times, checks, errors. */
export function reportPage(parts: ReportParts): string {
  const { name, project, recording, played, verdict, madeAt } = parts;
  const title = `${name} – play-test of ${project}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<div>
<p class="over">Play-test of ${escaped(project)}</p>
<h1>${escaped(name)}</h1>
<p class="soft">${escaped(recording.scene)} · ${new Date(madeAt).toISOString().replace("T", " ").slice(0, 16)} UTC</p>
</div>
<p class="pill ${verdict.isSame ? "isgood" : "isbad"}">${verdict.isSame ? "Played as recorded" : "Played differently"}</p>
</header>
${figures(parts)}
${problems(verdict)}
${filmstrip(parts)}
${values(parts)}
${inputs(recording)}
${frameTimes(played, recording)}
${checks(verdict)}
${output(played)}
</main>
</body>
</html>
`;
}

function figures({ recording, played, verdict }: ReportParts): string {
  const { average, slow, worst } = timesOf(played.times);
  const failed = [...verdict.checks, ...verdict.pictures].filter((each) => !each.isSame).length;
  const total = verdict.checks.length + verdict.pictures.length;
  const rows: readonly (readonly [string, string, string])[] = [
    [
      String(played.frames),
      "frames",
      `${(played.frames / recording.fps).toFixed(1)} s at ${recording.fps} a second`,
    ],
    [
      String(recording.inputs.length),
      recording.inputs.length === 1 ? "input" : "inputs",
      `seed ${recording.seed}`,
    ],
    [
      `${total - failed} / ${total}`,
      "checks held",
      failed === 0 ? "values and pictures" : `${failed} did not`,
    ],
    [`${average.toFixed(1)} ms`, "a frame", `95 % within ${slow.toFixed(1)}, worst ${worst.toFixed(1)}`],
    [
      String(verdict.errors.length),
      verdict.errors.length === 1 ? "error" : "errors",
      "of scripts and inputs",
    ],
  ];
  return `<section class="figures">${rows
    .map(([big, what, more]) => `<div><b>${escaped(big)}</b> ${what}<small>${escaped(more)}</small></div>`)
    .join("")}</section>`;
}

function problems({ errors }: Verdict): string {
  if (errors.length === 0) return "";
  const rows = errors.map(
    ({ message, stack }) =>
      `<li><code>${escaped(message)}</code>${stack
        .slice(0, 6)
        .map((frame) => `<small>${escaped(frame.function)} – ${escaped(frame.file)}:${frame.line}</small>`)
        .join("")}</li>`,
  );
  return section("Errors", `<ul class="errors">${rows.join("")}</ul>`);
}

function filmstrip({ pictures, recording, withoutPictures }: ReportParts): string {
  if (pictures.length === 0)
    return withoutPictures === undefined
      ? ""
      : section("What was seen", `<p class="soft">${escaped(withoutPictures)}</p>`);
  const shown = pictures.map(
    ({ frame, instance, png }) =>
      `<figure><img alt="Frame ${frame}" src="data:image/png;base64,${png.toString("base64")}"><figcaption>${recording.instances === undefined ? "" : `instance ${instance}, `}frame ${frame} <span class="soft">· ${(frame / recording.fps).toFixed(2)} s</span></figcaption></figure>`,
  );
  return section("What was seen", `<div class="strip">${shown.join("")}</div>`);
}

function values({ watched, played, recording, verdict }: ReportParts): string {
  const marks = recording.inputs.map(({ frame }) => frame);
  const charts = watched.map((expression, column) => {
    const series = seriesOf(
      expression,
      played.samples.map((row): Json => row[column] ?? null),
    );
    const held = verdict.checks.filter((check) => nameOf(check) === expression);
    const chart = lineChart(series, { frames: played.frames, marks, checks: held });
    const last = played.samples.at(-1)?.[column] ?? null;
    const none = `<p class="soft">No number: at the end it is <code>${escaped(JSON.stringify(last).slice(0, 200))}</code>.</p>`;
    const legend = series
      .map(({ label }, index) => `<span class="key k${index % 6}">${escaped(label)}</span>`)
      .join("");
    return `<div class="chart"><p class="legend">${series.length === 0 ? escaped(expression) : legend}</p>${series.length === 0 ? none : chart}</div>`;
  });
  if (charts.length === 0) return "";
  return section(
    "Values over time",
    `${charts.join("")}<p class="soft">By frame. Thin lines are inputs, dots are checks.</p>`,
  );
}

/** The label of a watched expression. */
export function watchedName({ node, expression, instance }: Watched): string {
  const game = instance === undefined ? "" : `${instance}: `;
  return game + (node === undefined || node === "." || node === "" ? expression : `${node}.${expression}`);
}

function nameOf({ node, expression, instance }: CheckVerdict): string {
  return watchedName({
    expression,
    ...(node !== undefined && { node }),
    ...(instance !== undefined && { instance }),
  });
}

function inputs({ inputs, frames }: Recording): string {
  if (inputs.length === 0) return "";
  const rows = inputs.map((input) => ({
    label: input.instance === undefined ? labelOf(input) : `${input.instance}: ${labelOf(input)}`,
    from: input.frame,
    to: Math.min(frames, input.frame + ("hold" in input ? (input.hold ?? 1) : 1)),
  }));
  return section("Inputs", `<div class="chart">${lanes(rows, frames)}</div>`);
}

function labelOf(input: RecordedInput): string {
  switch (input.kind) {
    case "action":
      return input.name;
    case "key":
      return input.key;
    case "text":
      return `types “${input.text}”`;
    case "click":
      return `${"toX" in input || "toNode" in input || "toText" in input ? "drags" : "clicks"} ${input.text ?? input.node ?? ""}`;
    case "walk":
      return `walks ${input.node}`;
    case "button":
    case "touch":
    case "move":
      return `${input.kind} ${Math.round(input.x)}, ${Math.round(input.y)}`;
    case "pad":
      return `pad ${input.button ?? input.axis ?? ""}`;
  }
}

function frameTimes({ times, frames }: Played, { fps }: Recording): string {
  if (times.length === 0) return "";
  const slowest = times
    .flatMap((ms, index) => (ms === null ? [] : [{ ms, frame: index + 1 }]))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 5)
    .map(({ ms, frame }) => `${ms.toFixed(1)} ms in frame ${frame}`);
  const chart = lineChart([{ label: "frame", values: times.map((ms) => ms ?? undefined) }], {
    frames,
    unit: " ms",
    limit: SMOOTH_MS,
    atLeast: SMOOTH_MS,
  });
  return section(
    "Frame times",
    `<div class="chart">${chart}</div><p class="soft">The dashed line is 16.7 ms. Slowest: ${slowest.join(", ")}. Frames of a play-test run as fast as the machine can, each for 1/${fps} s of the game.</p>`,
  );
}

function checks({ checks, pictures }: Verdict): string {
  if (checks.length + pictures.length === 0) return "";
  const rows = [
    ...checks.map((check) => ({
      frame: check.frame,
      isSame: check.isSame,
      what: nameOf(check),
      expected: JSON.stringify(check.expected),
      got: check.problem ?? JSON.stringify(check.got ?? null),
    })),
    ...pictures.map((picture) => ({
      frame: picture.frame,
      isSame: picture.isSame,
      what: picture.instance === undefined ? "picture" : `${picture.instance}: picture`,
      expected: "as stored",
      got: picture.problem ?? `${((picture.share ?? 0) * 100).toFixed(2)} % differ`,
    })),
  ].toSorted((a, b) => a.frame - b.frame);
  const cells = rows.map(
    ({ frame, isSame, what, expected, got }) =>
      `<tr><td class="num">${frame}</td><td><span class="dot ${isSame ? "isgood" : "isbad"}">${isSame ? "held" : "differs"}</span></td><td><code>${escaped(what)}</code></td><td><code>${escaped(expected.slice(0, 200))}</code></td><td><code>${escaped(got.slice(0, 200))}</code></td></tr>`,
  );
  return section(
    "Checks",
    `<div class="wide"><table><thead><tr><th class="num">Frame</th><th></th><th>What</th><th>Expected</th><th>Seen</th></tr></thead><tbody>${cells.join("")}</tbody></table></div>`,
  );
}

function output({ output: lines }: Played): string {
  if (lines.length === 0) return "";
  return section("Output", `<pre>${escaped(lines.slice(0, MAX_OUTPUT).join("\n"))}</pre>`);
}

function section(heading: string, body: string): string {
  return `<section><h2>${heading}</h2>${body}</section>`;
}

/** Frame times: the average, the 95th percentile and the slowest. */
export function timesOf(all: readonly (number | null)[]): { average: number; slow: number; worst: number } {
  const times = all.filter((ms) => ms !== null);
  const ordered = times.toSorted((a, b) => a - b);
  const sum = times.reduce((total, ms) => total + ms, 0);
  return {
    average: times.length === 0 ? 0 : sum / times.length,
    slow: ordered[Math.floor((ordered.length - 1) * 0.95)] ?? 0,
    worst: ordered.at(-1) ?? 0,
  };
}

const STYLE = `
:root{--page:#f5f6f8;--card:#fff;--ink:#1b2128;--soft:#5d6875;--edge:#e1e5ea;--good:#17703e;--bad:#b3261e;--goodback:#dff3e6;--badback:#fde4e1;--c0:#1f5fbf;--c1:#b35c00;--c2:#1a7f52;--c3:#7b3fb5;--c4:#c0325a;--c5:#0f7285;--mark:#d5dae0}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1040px;margin:0 auto;padding:32px 20px 64px}
header{display:flex;justify-content:space-between;align-items:flex-start;gap:16px;flex-wrap:wrap;margin-bottom:20px}
h1{margin:0;font-size:30px;line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 14px;font-size:16px}
p{margin:0}
.over{color:var(--soft);font-size:13px}
.soft{color:var(--soft);font-size:13px}
.pill,.dot{border-radius:99px;font-weight:600;font-size:13px;white-space:nowrap}
.pill{padding:6px 14px}
.dot{padding:2px 9px;font-size:12px}
.isgood{color:var(--good);background:var(--goodback)}
.isbad{color:var(--bad);background:var(--badback)}
section{background:var(--card);border:1px solid var(--edge);border-radius:14px;padding:18px 20px;margin-bottom:16px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px 20px}
.figures b{font-size:22px;font-variant-numeric:tabular-nums;margin-right:2px}
.figures small{display:block;color:var(--soft);font-size:12px}
.strip{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:14px}
figure{margin:0}
img{display:block;width:100%;border-radius:8px;border:1px solid var(--edge)}
figcaption{font-size:13px;padding-top:4px;font-variant-numeric:tabular-nums}
.chart+.chart{margin-top:16px}
.chart+.soft{margin-top:8px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font:13px ui-monospace,monospace;margin-bottom:4px}
.key::before{content:"";display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;vertical-align:middle;background:var(--key)}
svg{display:block;width:100%;height:auto}
.grid{stroke:var(--edge);stroke-width:1}
.mark{stroke:var(--mark);stroke-width:1.5}
.limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:6 5}
.tick{fill:var(--soft);font-size:12px}
.lane{fill:var(--ink);font-size:13px}
.bar{fill:var(--c0)}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke:var(--key)}
.c0,.k0{--key:var(--c0)}.c1,.k1{--key:var(--c1)}.c2,.k2{--key:var(--c2)}.c3,.k3{--key:var(--c3)}.c4,.k4{--key:var(--c4)}.c5,.k5{--key:var(--c5)}
circle.good{fill:var(--good);stroke:var(--card);stroke-width:2}
circle.bad{fill:var(--bad);stroke:var(--card);stroke-width:2}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px}
th{text-align:left;color:var(--soft);font-weight:500}
th,td{padding:7px 10px 7px 0;border-bottom:1px solid var(--edge);vertical-align:top}
tr:last-child td{border-bottom:0}
.num{text-align:right;padding-right:16px;font-variant-numeric:tabular-nums}
code,pre{font:12.5px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{margin:0;white-space:pre-wrap}
.errors{margin:0;padding:0;list-style:none}
.errors li{border-left:3px solid var(--bad);padding:2px 0 2px 12px}
.errors li+li{margin-top:10px}
.errors small{display:block;color:var(--soft)}
`;
