import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Tests start hundreds of servers from their sources. Compiled once, a start takes a fraction of the processor time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL("node_modules/.cache/toolpact-tests", import.meta.url),
);

export default defineConfig({
  resolve: { conditions: ["toolpact-source"] },
  ssr: { resolve: { conditions: ["toolpact-source"] } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["packages/tuitbot/test/postgres/global-setup.ts"],
    setupFiles: ["scripts/test-setup.ts"],
    // Tests wait for processes, disks and browsers a third of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One second, the default, is short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    execArgv: ["--conditions=toolpact-source"],
  },
});
