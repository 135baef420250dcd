import { run } from "./run.ts";
import { type Count, checked, conclude, quickTests, slowTests } from "./test.ts";

process.env.PATH = `${new URL("../node_modules/.bin", import.meta.url).pathname}:${process.env.PATH}`;

async function conformance(): Promise<Count> {
  const { ok, output } = await run("npm", ["run", "--silent", "conformance"]);
  console.log(output.trim());
  const counts = /^conformance: (\d+) passed, (\d+) failed$/m.exec(output);
  return { passed: Number(counts?.[1] ?? 0), failed: Number(counts?.[2] ?? 0) || (ok ? 0 : 1), skipped: [] };
}

conclude([await checked(), await quickTests(), await slowTests(), await conformance()]);
