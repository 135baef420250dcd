import { drive, refusals } from "./drive.ts";
import { fetchProgram, programOf, RUNTIMES, type Runtime, start } from "./runtimes.ts";

/** `npm run bench -- runtimes` */
let isBroken = false;
for (const runtime of RUNTIMES) {
  const line = await tried(runtime);
  console.log(line);
}
process.exitCode = isBroken ? 1 : 0;

async function tried(runtime: Runtime): Promise<string> {
  const { name, version } = runtime;
  if (programOf(runtime) === undefined) {
    const why = await fetchProgram(runtime);
    if (why !== undefined) return `${name} ${version}: SKIPPED, ${why}`;
  }
  const startedAt = performance.now();
  try {
    await using server = await start(runtime, programOf(runtime) ?? "");
    const startMs = Math.round(performance.now() - startedAt);
    const modern = await drive(server.url, "auto");
    const legacy = await drive(server.url, "legacy");
    const refused = await refusals(server.url);
    return `${name} ${version}: serves ${modern.tools} tools in ${modern.protocol} and ${legacy.protocol}, refuses with ${refused.join(" and ")}; built and started in ${startMs} ms`;
  } catch (error) {
    isBroken = true;
    return `${name} ${version}: FAILED, ${(error as Error).message}`;
  }
}
