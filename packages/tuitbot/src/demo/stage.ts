import type { EnvelopeError, JsonObject } from "@toolpact/contract";
import { cast } from "@toolpact/x-sandbox";
import { catalogFor } from "../catalog.ts";
import { configInForce } from "../config/config-in-force.ts";
import { sandboxDefaults } from "../config/sandbox-defaults.ts";
import { configSchema } from "../config/schema.ts";
import { createCore } from "../core.ts";
import type { ErrorCode } from "../errors.ts";
import { sandboxWorld } from "../services/sandbox-account.ts";

/** A made-up X with a server before it, for the demo to play on. */
export interface Stage {
  readonly call: (tool: string, args: JsonObject) => Promise<Answer>;
  /** The next search meets a used-up rate limit. */
  readonly limitSearches: () => void;
  /** The third post from now on is not taken. */
  readonly failThirdPost: () => void;
  readonly postsOfMine: () => number;
  readonly spentUsd: () => number;
}

/** The envelope, as the story reads it. */
export interface Answer {
  readonly success: boolean;
  readonly data: JsonObject | null;
  readonly error?: EnvelopeError<ErrorCode>;
  readonly meta?: JsonObject;
}

export async function setStage(signal: AbortSignal): Promise<Stage> {
  const { sandbox, account } = sandboxWorld("enterprise");
  const values = configSchema.parse({
    ...sandboxDefaults,
    business: {
      product_name: "Crumb",
      product_description: "A log for bakers",
      product_keywords: ["sourdough", "bread"],
    },
  });
  const place = { env: {}, home: "/", cwd: "/" };
  const profile = "write";
  const { pipeline } = createCore({
    profile,
    catalog: catalogFor(profile),
    config: configInForce({ values, file: undefined, fromEnvironment: [] }, place),
    account,
  });
  const owner = sandbox.person(cast.owner).id;
  return {
    async call(tool, args) {
      const answer = await pipeline.call({ tool, args, caller: { transport: "cli" }, signal });
      if (answer.kind !== "told") throw new Error(`${tool} did not answer.`);
      // Every lane of this product tells its outcome as the envelope.
      return answer.envelope as unknown as Answer;
    },
    limitSearches: () => void sandbox.faults.add({ operation: "searchPostsRecent", kind: "rate_limited" }),
    failThirdPost: () => void sandbox.faults.add({ operation: "createPosts", kind: "rate_limited", at: 3 }),
    postsOfMine: () => [...sandbox.world.posts.values()].filter(({ authorId }) => authorId === owner).length,
    spentUsd: () => sandbox.journal.entries.reduce((sum, { usd }) => sum + usd, 0),
  };
}
