import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildServers } from "./build-servers.ts";
import { buildXmcpServer, fetchXmcp, xmcpIsFetched } from "./build-xmcp.ts";
import { writeDocs } from "./docs/write-docs.ts";
import { costIsKnown } from "./measure/process-cost.ts";
import { type Counts, measureServers } from "./measure/servers.ts";
import { helpText, parseOptions } from "./options.ts";
import { reportText } from "./report.ts";
import { type BenchResult, judge, type LeftOut, type ServerFigures } from "./result.ts";
import { together } from "./runs.ts";
import { runSection, SECTIONS, type Section } from "./sections.ts";
import { TARGETS, type Target, type TargetName } from "./targets.ts";

const FULL: Counts = {
  warmUpStarts: 1,
  starts: 20,
  settleMs: 100,
  warmUpRounds: 5,
  rounds: 25,
  listsPerRound: 8,
  callsPerRound: 200,
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
  atOnce: 4,
};

/** All servers, in addition to the sections. */
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
  for (let round = 1; round <= runs; round++) {
    if (runs > 1) console.error(`run ${round} of ${runs}`);
    results.push(await run({ quick, wanted, mayFetch: !quick || only.includes("xmcp") }));
  }
  const result = together(results);
  console.log(reportText(result));
  if (json !== undefined) await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
  if (docs) await writeDocs(result);
}

async function run({
  quick,
  wanted,
  mayFetch,
}: {
  readonly quick: boolean;
  readonly mayFetch: boolean;
  readonly wanted: (name: string) => boolean;
}): Promise<BenchResult> {
  const say = (line: string) => console.error(line);
  if (!costIsKnown)
    say("Memory and CPU of other processes can be read on Linux only; they are left out here.");
  const counts = quick ? QUICK : FULL;
  const asked = TARGETS.filter(({ name }) => wanted(name));
  const leftOut: LeftOut[] = [];
  const leaveOut = (name: TargetName, why: string) => {
    say(`LEFT OUT: ${name}; ${why}`);
    leftOut.push({ name, why });
  };
  const servers: ServerFigures[] = [];
  if (asked.length > 0) {
    const folder = fileURLToPath(new URL("../dist/servers", import.meta.url));
    say("building the servers");
    const built = await withXmcp(asked, mayFetch, leaveOut);
    await buildServers(folder);
    for (const transport of ["stdio", "http"] as const) {
      const targets = built.filter(({ name }) => !leftOut.some((one) => one.name === name));
      const figures = await measureServers(targets, transport, folder, counts, say, leaveOut);
      servers.push({ transport, figures });
    }
  }
  const sections: Section[] = [];
  for (const section of SECTIONS.filter(({ name }) => wanted(name))) {
    say(section.name);
    sections.push(await runSection(section, quick));
  }
  return {
    quick,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
    counts,
    servers,
    leftOut,
    goals: judge(servers),
    sections,
  };
}

/** A quick run is part of the tests and reaches no network: xmcp is in it once another run has fetched it. */
async function withXmcp(
  targets: readonly Target[],
  mayFetch: boolean,
  leaveOut: (name: TargetName, why: string) => void,
): Promise<readonly Target[]> {
  if (!targets.some(({ name }) => name === "xmcp")) return targets;
  const missing =
    mayFetch || xmcpIsFetched() ? await fetchXmcp() : "fetch it with npm run bench -- --quick --only xmcp";
  const why = missing ?? (await builtXmcp());
  if (why === undefined) return targets;
  leaveOut("xmcp", why);
  return targets.filter(({ name }) => name !== "xmcp");
}

/** Why it cannot be built; undefined where it was. The server finds it in the environment that it inherits. */
async function builtXmcp(): Promise<string | undefined> {
  try {
    process.env.XMCP_BUILT = await buildXmcpServer();
    return undefined;
  } catch (error) {
    console.error((error as Error).message);
    return "it cannot be built";
  }
}
