import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["toolpact-source"] },
  ssr: { resolve: { conditions: ["toolpact-source"] } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    testTimeout: 30_000,
    execArgv: ["--conditions=toolpact-source"],
  },
});
