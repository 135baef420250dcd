import { createHash } from "node:crypto";
import type { Config } from "../config/schema.ts";
import type { Session } from "../storage/store.ts";

type Business = Config["business"];

/** Lower case. */
export function ownMaterial(business: Business): string {
  return [
    business.product_name,
    business.product_description,
    ...business.persona_opinions,
    ...business.persona_experiences,
    ...business.content_pillars,
    ...business.industry_topics,
    ...business.product_keywords,
    ...configurationOf(business),
  ]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}

/** Must not be published. */
export function configurationOf(business: Business): readonly string[] {
  const { target_audience, brand_voice, reply_style, content_style } = business;
  return [target_audience, brand_voice, reply_style, content_style].filter((part) => part !== undefined);
}

export const PROMPT_OPENING = "You write for an account on X.";

/** Only the prompt has it, so a text with it repeats the prompt, in any language. */
export function canaryOf(business: Business): string {
  const digest = createHash("sha256").update(JSON.stringify(business)).digest("hex");
  return `ref${digest.slice(0, 10)}`;
}

/** Latest posts that answer nobody. */
export async function ownPosts({ store, account }: Session): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom("publications")
    .select("text")
    .where("account", "=", account)
    .where("kind", "!=", "reply")
    .orderBy("published_at", "desc")
    .limit(MAX_POSTS)
    .execute();
  return rows.map(({ text }) => text);
}

const MAX_POSTS = 50;
