import { ok } from "@toolpact/outcome";
import type { Prompts } from "../../app/prompts.ts";
import { numberIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import type { Context } from "../context.ts";
import { withCore } from "../with-services.ts";

/** Shows what would become of a first post, and sends nothing. */
export async function previewFirstPost(prompts: Prompts, context: Context): Promise<void> {
  const text = await prompts.text({
    message: "A first post, to see what would happen. Nothing is sent (empty to leave it out)",
    initial: "Hello from my terminal",
  });
  if (text.trim() === "") return;
  const done = await withCore(["db"], { profile: "write" }, context, async (_, { pipeline }) => {
    const answer = await pipeline.call({
      tool: "x_post_tweet_dry_run",
      args: { text },
      caller: { transport: "cli", client: "init" },
      signal: context.signal,
    });
    if (answer.kind !== "rendered") return ok(undefined);
    const { outcome } = answer;
    if (!outcome.ok) return { ok: false, failure: { message: outcome.failure.message } };
    prompts.note("Dry run: nothing was sent", verdict(objectIn(outcome.value)));
    return ok(undefined);
  });
  if (!done.ok) prompts.warn(done.failure.message);
}

function verdict(preview: ReturnType<typeof objectIn>): string {
  const decision = textIn(preview, "policy_decision") ?? "";
  const budget = textIn(objectIn(preview, "budget"), "message");
  return [
    `${numberIn(preview, "text_length") ?? 0} of 280 characters, $${numberIn(preview, "estimated_usd") ?? 0} at X.`,
    DECISIONS[decision] ?? decision,
    ...(budget === undefined ? [] : [budget]),
  ].join("\n");
}

const DECISIONS: Readonly<Record<string, string>> = {
  allow: "It would go out at once.",
  require_approval: "It would wait until you approve it with tuitbot approve.",
  deny: "Your rules would refuse it.",
  dry_run: "Your rules would only simulate it.",
};
