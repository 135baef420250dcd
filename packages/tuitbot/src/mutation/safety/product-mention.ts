import type { Config } from "../../config/schema.ts";

/** Whether a text names the product or its address. */
export function mentionsProduct(text: string, { product_name, product_url }: Config["business"]): boolean {
  const said = text.toLowerCase();
  return [product_name, withoutScheme(product_url ?? "")]
    .map((name) => name.trim().toLowerCase())
    .some((name) => name !== "" && said.includes(name));
}

/** Replies that the ratio is taken of. */
export const RATIO_WINDOW = 20;

/** How many of the latest replies may name the product; one in the window where any may. */
export function mostMentions(ratio: number): number {
  return ratio === 0 ? 0 : Math.max(1, Math.floor(ratio * RATIO_WINDOW));
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
}
