import type { Config } from "./schema.ts";

/** What is not set and is fine so, until something needs it. */
export function gapsIn(config: Config): readonly string[] {
  return GAPS.flatMap(({ line, isOpen }) => (isOpen(config) ? [line] : []));
}

interface Gap {
  readonly line: string;
  readonly isOpen: (config: Config) => boolean;
}

const GAPS: readonly Gap[] = [
  {
    line: "x_api.client_id is not set: `tuitbot auth login` needs it.",
    isOpen: ({ x_api }) => x_api.client_id === "",
  },
  {
    line: "llm.provider is not set: content cannot be generated.",
    isOpen: ({ llm }) => llm.provider === "",
  },
  {
    line: "business.product_name and business.product_description are not both set: generated content has no subject.",
    isOpen: ({ business }) => business.product_name === "" || business.product_description === "",
  },
  {
    line: "business.product_keywords and business.competitor_keywords are empty: no post scores for relevance.",
    isOpen: ({ business }) =>
      business.product_keywords.length === 0 && business.competitor_keywords.length === 0,
  },
];
