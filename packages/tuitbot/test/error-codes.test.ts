import type { Failure } from "@toolpact/contract";
import { successEnvelope } from "@toolpact/contract/internal";
import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import { profiles } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";
import { specifiedErrors } from "./specification/specified-errors.ts";

test("the 27 codes of the specification are retryable as it says, whatever else a failure carries", () => {
  expect(specifiedErrors).toHaveLength(27);
  // Members that only code without types can add.
  const noise = { retryable: true, retryAfterMs: 1_000, fixBy: "agent", details: { retryable: true } };
  for (const [code, , retryable] of specifiedErrors)
    for (const override of [retryable, !retryable, undefined]) {
      const failure = { ...noise, code, message: "No.", retryable: override } as unknown as Failure;
      const context = { tool: "x_get", annotations: {}, warnings: [], elapsedMs: 1 };
      const { envelope } = successEnvelope(errors).render({ ok: false, failure }, context as never);
      expect(envelope).toMatchObject({ error: { code, retryable } });
    }
});

test("every error code is declared by at least one tool or is common to all", () => {
  const codes = profiles.flatMap((profile) => {
    const { tools, common_error_codes } = profileManifest(profile);
    return [...common_error_codes, ...tools.flatMap(({ possible_error_codes }) => possible_error_codes)];
  });
  expect([...new Set(codes)].sort()).toEqual(Object.keys(errors.rows).sort());
});
