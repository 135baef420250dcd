import { describe, expect, onTestFinished, test } from "vitest";
import { realGodot } from "./real-godot.ts";
import { runCampaign } from "./truth-campaign.ts";

/**
 * A short run. For a long one:
 * `TRUTH_STEPS=10000 TRUTH_SEED=7 TRUTH_EVERY=200 npx vitest run packages/godot-mcp-omni/test/truth.test.ts`
 */
const STEPS = Number(process.env.TRUTH_STEPS ?? 60);
const SEED = Number(process.env.TRUTH_SEED ?? 1);

describe.skipIf(realGodot === undefined)(
  "after random edits, typos, undo and changes by other programs",
  () => {
    test(
      "a Godot that never saw the server finds every byte and every script error as the server reports them",
      async () => {
        const result = await runCampaign({
          godot: realGodot ?? "",
          seed: SEED,
          steps: STEPS,
          every: Number(process.env.TRUTH_EVERY ?? 30),
          later: onTestFinished,
          ...(process.env.TRUTH_STEPS !== undefined && { onProgress: (text) => console.info(text) }),
        });
        expect(result).toMatchObject({ wrong: [], falseDiagnostics: [] });
        expect(result.steps).toBeGreaterThanOrEqual(STEPS);
        expect(result.comparisons).toBeGreaterThan(0);
      },
      120_000 + STEPS * 20_000,
    );
  },
);
