import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import { profiles } from "../src/profiles.ts";
import { profileManifest } from "../src/server/manifest.ts";

test("every error code is declared by at least one tool or is common to all", () => {
  const codes = profiles.flatMap((profile) => {
    const { tools, common_error_codes } = profileManifest(profile);
    return [...common_error_codes, ...tools.flatMap(({ possible_error_codes }) => possible_error_codes)];
  });
  expect([...new Set(codes)].sort()).toEqual(Object.keys(errors.rows).sort());
});
