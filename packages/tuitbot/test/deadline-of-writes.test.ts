import type { JsonObject } from "@toolpact/contract";
import { cast, type Sandbox } from "@toolpact/x-sandbox";
import { expect, test } from "vitest";
import { effectiveConfig } from "../src/config/effective-config.ts";
import { configSchema } from "../src/config/schema.ts";
import { catalogFor } from "../src/server/catalog.ts";
import { createCore } from "../src/server/core.ts";
import { sandboxWorld } from "../src/x/sandbox-account.ts";
import type { Envelope } from "./live-server.ts";

const onPost = (sandbox: Sandbox) => ({ tweet_id: sandbox.say(cast.friend, "A post").id });

/** Calls that no rule routes to a person. */
const writes: readonly (readonly [tool: string, argsFor: (sandbox: Sandbox) => JsonObject])[] = [
  ["x_post_tweet", () => ({ text: "A post" })],
  ["x_post_thread", () => ({ tweets: ["First", "Second"] })],
  ["x_retweet", onPost],
  ["x_unlike_tweet", onPost],
  ["x_v2_lists_create", () => ({ name: "Bakers" })],
];

test.each(writes)(
  "%s that hits its deadline names its receipt and when to call again",
  async (tool, argsFor) => {
    const { sandbox, account } = sandboxWorld("enterprise");
    const isSent = Promise.withResolvers<void>();
    const deadlines: (() => void)[] = [];
    const clock = {
      now: () => sandbox.clock.now(),
      after: (_ms: number, run: () => void) => {
        deadlines.push(run);
        return () => {};
      },
    };
    const values = configSchema.parse({
      approval_mode: false,
      mcp_policy: { require_approval_for: [], enforce_for_mutations: false },
    });
    const core = createCore({
      profile: "write",
      catalog: catalogFor("write"),
      config: effectiveConfig(
        { values, file: undefined, fromEnvironment: [] },
        { env: {}, home: "/", cwd: "/" },
      ),
      account: {
        ...account,
        fetch: (input, init) => {
          const request = new Request(input, init);
          if (request.method === "GET") return account.fetch(input, init);
          isSent.resolve();
          return new Promise(() => {});
        },
      },
      clock,
    });
    const call = async (name: string, args: JsonObject): Promise<Envelope> => {
      const answer = await core.pipeline.call({ tool: name, args, caller: { transport: "stdio" } });
      if (answer.kind !== "rendered") throw new Error(answer.kind);
      // Every answer is the envelope; tests check what is in it.
      return answer.envelope as unknown as Envelope;
    };
    const calling = call(tool, argsFor(sandbox));
    await isSent.promise;
    for (const pass of deadlines) pass();
    const { error, meta } = await calling;
    expect(error).toMatchObject({
      code: "x_network_error",
      retry_after_ms: 5_000,
      suggested_fix: expect.stringContaining("before anything is sent"),
      details: { may_have_taken_effect: true, receipt: { correlation_id: meta?.correlation_id } },
    });
    const { receipt } = Object(error?.details) as { readonly receipt: JsonObject };
    expect(await call("get_mutation_detail", receipt)).toMatchObject({
      success: true,
      data: { correlation_id: receipt.correlation_id },
    });
  },
);
