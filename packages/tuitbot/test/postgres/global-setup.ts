import type { TestProject } from "vitest/node";
import { startPostgres } from "./server.ts";

/**
 * One PostgreSQL for a whole run of Vitest, where a file of the run wants one. Without this setup each such file
 * starts its own.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The test filter of this Vitest run; its types do not show it.
  const { filenamePattern } = project.vitest as { readonly filenamePattern?: string[] };
  const { testFiles: wanted } = await project.globTestFiles(filenamePattern);
  if (!wanted.some((file) => WANTS_POSTGRES.test(file))) return undefined;
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  return server.stop;
}

const WANTS_POSTGRES = /packages\/(tuitbot\/test\/(storage|chaos)|contract\/test\/(guards|gate))/;
