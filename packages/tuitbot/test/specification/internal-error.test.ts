import { ok } from "@toolpact/contract";
import { catalog } from "@toolpact/contract/internal";
import { expect, test } from "vitest";
import * as z from "zod";
import { effectiveConfig } from "../../src/config/effective-config.ts";
import { configSchema } from "../../src/config/schema.ts";
import { profiles } from "../../src/profiles.ts";
import { createCore } from "../../src/server/core.ts";
import { defineTool } from "../../src/tools/product.ts";
import { sandboxWorld } from "../../src/x/sandbox-account.ts";

/** A tool with a bug: its answer cannot be written as JSON of its schema. */
const broken = defineTool({
  name: "get_broken",
  title: "Fail to answer",
  description: "Answer with something that is not declared.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles,
  needs: [],
  errors: [],
  input: z.strictObject({}),
  output: z.object({ count: z.number() }),
  // The compiler rejects what this test is about.
  handler: async () => ok({ count: "many" as unknown as number }),
});

test.each(profiles)("an answer that cannot be serialized is a serialization_error in %s", async (profile) => {
  const place = { env: {}, home: "/", cwd: "/" };
  const values = configSchema.parse({});
  const core = createCore({
    profile,
    catalog: catalog([broken]),
    config: effectiveConfig({ values, file: undefined, fromEnvironment: [] }, place),
    account: sandboxWorld("enterprise").account,
    log: () => {},
  });
  const answer = await core.pipeline.call({ tool: "get_broken", args: {}, caller: { transport: "cli" } });
  expect(answer).toMatchObject({
    kind: "rendered",
    envelope: { success: false, data: null, error: { code: "serialization_error", retryable: false } },
  });
});
