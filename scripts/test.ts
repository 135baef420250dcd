import { check } from "./check.ts";
import { runShown } from "./run.ts";

// `npm test` checks everything; `npm test -- packages/contract` runs just those tests.
const only = process.argv.slice(2);
const checked = only.length > 0 || (await check());
const tested = await runShown("vitest", ["run", ...only]);
process.exitCode = checked && tested === 0 ? 0 : 1;
