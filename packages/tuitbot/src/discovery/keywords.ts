import type { Config } from "../config/schema.ts";

/** Words that make a post relevant: the product's, the competitors', and the topics of the field. */
export function scoringKeywords({ business }: Pick<Config, "business">): readonly string[] {
  const topics = business.industry_topics.length > 0 ? business.industry_topics : business.product_keywords;
  const all = [...business.product_keywords, ...business.competitor_keywords, ...topics];
  return [...new Set(all.map((keyword) => keyword.trim().toLowerCase()))].filter((keyword) => keyword !== "");
}
