import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildServers } from "./build-servers.ts";
import { writeDocs } from "./docs/write-docs.ts";
import { prepareFetched } from "./fetched-servers.ts";
import { costIsKnown } from "./measure/process-cost.ts";
import { type Counts, measureServers } from "./measure/servers.ts";
import { helpText, parseOptions } from "./options.ts";
import { reportText } from "./report.ts";
import { type BenchResult, judge, type ServerFigures } from "./result.ts";
import { together } from "./runs.ts";
import { runSection, SECTIONS, type Section } from "./sections.ts";
import { type LeftOut, TARGETS, type Target, type TargetName } from "./targets.ts";
import { versionsOf } from "./versions.ts";

const FULL: Counts = {
  warmUpStarts: 1,
  starts: 6,
  settleMs: 100,
  warmUpRounds: 2,
  rounds: 6,
  listsPerRound: 5,
  callsPerRound: 400,
  maxRoundMs: 400,
  atOnce: 16,
};
const QUICK: Counts = {
  warmUpStarts: 0,
  starts: 1,
  settleMs: 0,
  warmUpRounds: 0,
  rounds: 1,
  listsPerRound: 1,
  callsPerRound: 10,
  maxRoundMs: 400,
  atOnce: 4,
};

const FOLDER = fileURLToPath(new URL("../dist/servers", import.meta.url));
const say = (line: string) => console.error(line);

const SERVERS = "servers";
const names = [SERVERS, ...[...TARGETS, ...SECTIONS].map(({ name }) => name)];
const options = parseOptions(process.argv.slice(2), names, [SERVERS, ...SECTIONS.map(({ name }) => name)]);
if (!options.ok) {
  console.error(options.failure);
  process.exitCode = 2;
} else if (options.value.help) {
  console.log(helpText(names));
} else {
  const { quick, only, runs, json, docs } = options.value;
  const isServer = (name: string) => TARGETS.some((target) => target.name === name);
  const wanted = (name: string) =>
    only.length === 0 || only.includes(name) || (only.includes(SERVERS) && isServer(name));
  const results: BenchResult[] = [];
  const prepared = await prepare(wanted, (name) => !quick || only.includes(name));
  for (let round = 1; round <= runs; round++) {
    if (runs > 1) console.error(`run ${round} of ${runs}`);
    results.push(await run({ quick, wanted, prepared, isFirst: round === 1 }));
  }
  const result = together(results);
  console.log(reportText(result));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
  if (docs) await writeDocs(result);
}

interface Prepared {
  readonly targets: readonly Target[];
  readonly leftOut: readonly LeftOut[];
}

async function prepare(
  wanted: (name: string) => boolean,
  mayFetch: (name: string) => boolean,
): Promise<Prepared> {
  const asked = TARGETS.filter(({ name }) => wanted(name));
  if (asked.length === 0) return { targets: [], leftOut: [] };
  if (!costIsKnown)
    say("Memory and CPU of other processes can be read on Linux only; they are left out here.");
  say("building the servers");
  const leftOut = await prepareFetched(asked, mayFetch);
  for (const { name, why } of leftOut) say(`LEFT OUT: ${name}; ${why}`);
  await buildServers(FOLDER);
  return { targets: asked.filter(({ name }) => !leftOut.some((one) => one.name === name)), leftOut };
}

async function run({
  quick,
  wanted,
  prepared,
  isFirst,
}: {
  readonly quick: boolean;
  readonly wanted: (name: string) => boolean;
  readonly prepared: Prepared;
  readonly isFirst: boolean;
}): Promise<BenchResult> {
  const counts = quick ? QUICK : FULL;
  const leftOut: LeftOut[] = [...prepared.leftOut];
  const leaveOut = (name: TargetName, why: string) => {
    say(`LEFT OUT: ${name}; ${why}`);
    leftOut.push({ name, why });
  };
  const servers: ServerFigures[] = [];
  for (const transport of prepared.targets.length > 0 ? (["stdio", "http"] as const) : []) {
    const targets = prepared.targets.filter(
      ({ name, once = false, transports = [transport] }) =>
        (isFirst || !once) && transports.includes(transport) && !leftOut.some((one) => one.name === name),
    );
    servers.push({
      transport,
      figures: await measureServers(targets, transport, FOLDER, counts, say, leaveOut),
    });
  }
  const sections: Section[] = [];
  for (const section of SECTIONS.filter(({ name, once = false }) => wanted(name) && (isFirst || !once))) {
    say(section.name);
    sections.push(await runSection(section, quick));
  }
  return {
    quick,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
    versions: versionsOf(),
    counts,
    servers,
    leftOut,
    goals: judge(servers),
    sections,
  };
}
