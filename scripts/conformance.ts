import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtPackage } from "./build.ts";
import { startBehindGate } from "./conformance/behind-gate.ts";
import { inspect } from "./conformance/inspector.ts";
import { runSuite, SUITES, type SuiteName } from "./conformance/official-suite.ts";
import { PRODUCTS, type Product } from "./conformance/products.ts";
import { type Report, tell } from "./conformance/report.ts";
import { BEHIND_GATE, EVERYTHING, OF_ANY_SERVER } from "./conformance/scopes.ts";
import { type Ended, type Serving, startServing } from "./conformance/serving.ts";
import { root } from "./packages.ts";

const folder = mkdtempSync(join(tmpdir(), "toolpact-conformance-"));
const reports: Report[] = [];
await proveLibrary();
for (const product of PRODUCTS) await proveProduct(product);

const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failed = reports.reduce((sum, report) => sum + report.failures.length, 0);
if (failed === 0) rmSync(folder, { recursive: true });
else console.log(`Every message of every check: ${folder}`);
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Has everything the suite calls by name. */
async function proveLibrary(): Promise<void> {
  const server = "conformance server";
  const args = ["--conditions=toolpact-source", join(root, "packages/conformance/src/main.ts")];
  await whileServing(server, await startServing(args), async ({ url }) => {
    for (const suite of Object.keys(SUITES) as SuiteName[])
      add(await runSuite({ server, suite, url, scope: EVERYTHING, into: join(folder, "library", suite) }));
    await proveGate(url);
  });
}

/** Through a gate with a second server. */
async function proveGate(upstream: string): Promise<void> {
  const server = "conformance server behind toolpact gate";
  await whileServing(server, await startBehindGate(upstream, join(folder, "gate")), async ({ url }) => {
    for (const suite of Object.keys(SUITES) as SuiteName[])
      add(await runSuite({ server, suite, url, scope: BEHIND_GATE, into: join(folder, "gate", suite) }));
  });
}

async function proveProduct(product: Product): Promise<void> {
  const { name: server, serve } = product;
  const pkg = await builtPackage(server);
  const home = join(folder, server, "home");
  mkdirSync(home, { recursive: true });
  const command = [process.execPath, join(pkg.folder, `bin/${server}.js`), ...serve];
  const env = { PATH: process.env.PATH, HOME: home };
  await whileServing(
    server,
    await startServing([...command.slice(1), "--http", "0", "--no-token"], env),
    async ({ url }) => {
      for (const suite of Object.keys(OF_ANY_SERVER) as (keyof typeof OF_ANY_SERVER)[])
        add(
          await runSuite({
            server,
            suite,
            url,
            scope: OF_ANY_SERVER[suite],
            into: join(folder, server, suite),
          }),
        );
      add(await inspect({ product, url, command, env }));
    },
  );
}

async function whileServing(
  server: string,
  serving: Serving | Ended,
  prove: (serving: Serving) => Promise<void>,
): Promise<void> {
  if ("said" in serving)
    return add({ title: server, passed: 0, failures: [`It does not serve: ${serving.said}`] });
  try {
    await prove(serving);
  } finally {
    await serving.stop();
  }
}

function add(report: Report): void {
  tell(report);
  reports.push(report);
}
