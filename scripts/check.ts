import { styleText } from "node:util";
import { build } from "./build.ts";
import { publishedFiles } from "./distribution/pack.ts";
import { isLibrary, packages } from "./packages.ts";
import { type Ran, run } from "./run.ts";
import { typeProblems } from "./types-shape.ts";

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
  const linted = await Promise.all(published.map(({ folder }) => run("publint", ["--strict", folder])));
  const problems = linted.filter(({ ok }) => !ok).map(({ output }) => output);
  // A bundled command is run and not imported, so it has no types.
  for (const pkg of published.filter(isLibrary))
    problems.push(...(await typeProblems(pkg, await publishedFiles(pkg))));
  return { ok: problems.length === 0, output: problems.join("\n") };
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1;
