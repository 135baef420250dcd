import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["toolpact-source"] },
  ssr: { resolve: { conditions: ["toolpact-source"] } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["packages/tuitbot/test/postgres/global-setup.ts"],
    setupFiles: ["scripts/test-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    execArgv: ["--conditions=toolpact-source"],
  },
});
