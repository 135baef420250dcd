import { run } from "./run.ts";
import { type Count, checked, conclude, type Failure, quickTests, slowTests, tests } from "./test.ts";

process.env.PATH = `${new URL("../node_modules/.bin", import.meta.url).pathname}:${process.env.PATH}`;

async function conformance(): Promise<Count> {
  const { ok, output } = await run("npm", ["run", "--silent", "conformance"]);
  console.log(output.trim());
  const counts = /^conformance: (\d+) passed, (\d+) failed$/m.exec(output);
  const failed = ok ? [] : [{ title: `npm run conformance: ${counts?.[2] ?? "no"} checks failed` }];
  return { passed: Number(counts?.[1] ?? 0), failed, skipped: [] };
}

/**
 * Runs failed files again, separately. A test that then passes is listed as flaky; a second failure fails the
 * run.
 */
async function withSecondRun(count: Count): Promise<Count> {
  const files = [...new Set(count.failed.flatMap(({ file }) => file ?? []))];
  if (files.length === 0 || files.length > MAX_FILES_RUN_TWICE) return count;
  const again = await tests(files);
  const failsAgain = ({ file }: Failure) =>
    again.failed.some((failure) => failure.file === undefined || failure.file === file);
  const flaky = count.failed.filter((failure) => failure.file !== undefined && !failsAgain(failure));
  for (const { title, file } of flaky) flakyTests.push(`${file}: ${title}`);
  return {
    passed: count.passed + flaky.length,
    failed: count.failed.filter((failure) => !flaky.includes(failure)),
    skipped: count.skipped,
  };
}

/** More than this is a broken change, not flaky tests. */
const MAX_FILES_RUN_TWICE = 5;
const flakyTests: string[] = [];

const counts = [
  await checked(),
  await withSecondRun(await quickTests()),
  await withSecondRun(await slowTests()),
  await conformance(),
];
for (const test of flakyTests) console.log(`flaky: ${test} (failed once, then passed on its own)`);
conclude(counts);
