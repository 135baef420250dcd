import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["toolpact-source"] },
  ssr: { resolve: { conditions: ["toolpact-source"] } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["packages/tuitbot/test/postgres/global-setup.ts"],
    setupFiles: ["scripts/test-setup.ts"],
    // By default one core is left to the person's editor, which on a machine of two is half of it.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes sooner or the test fails; one second is short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    execArgv: ["--conditions=toolpact-source"],
  },
});
