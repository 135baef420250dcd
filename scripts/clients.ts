import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { failuresOf } from "./clients/check-client.ts";
import { REAL_CLIENTS } from "./clients/client-table.ts";
import { newestVersion } from "./clients/install-client.ts";
import { buildDriven, runInNamespace } from "./clients/namespace.ts";
import { replaceTested, sentenceOf, type TestedClient, tableOf } from "./clients/table.ts";
import { root } from "./packages.ts";

const HELP = `Drives published MCP clients against tuitbot, godot-mcp-omni and the gate, offline, with a scripted model in place of a real one.

  npm run clients -- [options]

  --client ID   only this client (may be given several times): ${REAL_CLIENTS.map(({ id }) => id).join(", ")}
  --latest      the newest published versions instead of those that the tests drive
  --docs        write the result into docs/install.md and README.md
  --help        show this

Clients are installed from npm into ~/.cache/toolpact/clients, 1.4 GB for all six. Each client runs in a network namespace that has only loopback (needs Linux and unshare).

Examples
  npm run clients                      all six, about ten minutes
  npm run clients -- --client codex    one of them
`;

const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true },
    latest: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) console.log(HELP);
else await main(values.client ?? REAL_CLIENTS.map(({ id }) => id), values);

async function main(
  ids: readonly string[],
  { latest, docs }: { readonly latest: boolean; readonly docs: boolean },
): Promise<void> {
  const unknown = ids.filter((id) => !REAL_CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) {
    console.error(`There is no client ${unknown.join(", ")}. See npm run clients -- --help.`);
    process.exitCode = 2;
    return;
  }
  await buildDriven();
  const tested: TestedClient[] = [];
  for (const client of REAL_CLIENTS.filter(({ id }) => ids.includes(id))) {
    const result = await runInNamespace(client, latest ? await newestVersion(client) : undefined);
    if (typeof result === "string") {
      console.error(`!!! NOT TESTED: ${client.title}: ${result}`);
      process.exitCode = 1;
      continue;
    }
    tested.push(result);
    console.log(`${client.title} ${result.version}`);
    for (const [name, { passed, remark }] of Object.entries(result.report.checks))
      console.log(`  ${passed ? "ok  " : "FAIL"} ${name}: ${remark}`);
    if (failuresOf(result.report).length > 0) {
      console.log(`  Output of the client: ${result.report.folder}`);
      process.exitCode = 1;
    }
  }
  if (!docs) return;
  for (const [name, text] of [
    ["docs/install.md", tableOf(tested)],
    ["README.md", sentenceOf(tested)],
  ] as const) {
    const page = join(root, name);
    writeFileSync(page, replaceTested(readFileSync(page, "utf8"), text));
    console.log(`Wrote ${page}.`);
  }
}
