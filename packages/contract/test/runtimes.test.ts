import { describe, expect, test } from "vitest";
import { drive, refusals } from "./runtimes/drive.ts";
import { programOf, RUNTIMES, start } from "./runtimes/runtimes.ts";

/** Too large for every install. `npm run bench -- runtimes` fetches them once. */
for (const runtime of RUNTIMES) {
  const program = programOf(runtime);
  if (program === undefined)
    console.warn(`SKIPPED: serveFetch on ${runtime.name}. Fetch it with: npm run bench -- runtimes`);
  describe.skipIf(program === undefined)(`serveFetch on ${runtime.name}`, () => {
    test("serves the official client of both eras, and rejects callers without a token", async () => {
      await using server = await start(runtime, program ?? "");
      for (const mode of ["auto", "legacy"] as const)
        expect(await drive(server.url, mode)).toMatchObject({
          protocol: mode === "auto" ? "2026-07-28" : "2025-11-25",
          tools: 6,
          added: { success: true, data: { id: expect.any(String) } },
          bad: { success: false, error: { code: "invalid_input" } },
        });
      expect(await refusals(server.url)).toEqual([401, 404]);
    }, 90_000);
  });
}
