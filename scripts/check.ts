import { styleText } from "node:util";
import { build } from "./build.ts";
import { packages } from "./packages.ts";
import { type Ran, run } from "./run.ts";

/** Everything that can be known without running a test. */
const checks: readonly (readonly [string, () => Promise<Ran>])[] = [
  ["format and lint", () => run("biome", ["check", "--error-on-warnings", "."])],
  ["types", () => run("tsc", [])],
  ["types of the page", () => run("tsc", ["-p", "packages/tuitbot-web"])],
  ["generated files", () => run("node", ["--conditions=toolpact-source", "scripts/generate.ts", "--check"])],
  ["dead code", () => run("knip", ["--no-progress", "--treat-config-hints-as-errors"])],
  ["package shape", packageShape],
];

export async function check(): Promise<boolean> {
  const results = await Promise.all(
    checks.map(async ([name, perform]) => {
      const { ok, output } = await perform();
      console.log(`${ok ? styleText("green", "ok") : styleText("red", "failed")}  ${name}`);
      return { name, ok, output };
    }),
  );
  for (const { name, output } of results.filter(({ ok }) => !ok))
    console.error(`\n${name}:\n${output.trim()}`);
  return results.every(({ ok }) => ok);
}

async function packageShape(): Promise<Ran> {
  try {
    await build();
  } catch (error) {
    return { ok: false, output: (error as Error).message };
  }
  const published = packages().filter(({ isPrivate }) => !isPrivate);
  const results = await Promise.all(published.map(({ folder }) => run("publint", ["--strict", folder])));
  return {
    ok: results.every(({ ok }) => ok),
    output: results
      .filter(({ ok }) => !ok)
      .map(({ output }) => output)
      .join("\n"),
  };
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1;
