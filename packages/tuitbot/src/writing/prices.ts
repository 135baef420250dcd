/** US dollars per million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/** The list price of a model, if known. A dated version has the price of its model. */
export function listPrice(model: string): TokenPrice | undefined {
  return PRICES[model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "")];
}

/** In micro-dollars, rounded up. */
export function costMicros({ input, output }: TokenPrice, inputTokens: number, outputTokens: number): number {
  return Math.ceil(inputTokens * input + outputTokens * output);
}

const PRICES: Readonly<Record<string, TokenPrice>> = {
  "gpt-4.1": { input: 2, output: 8 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4 },
  "gpt-4o": { input: 2.5, output: 10 },
  "gpt-4o-mini": { input: 0.15, output: 0.6 },
  "gpt-5": { input: 1.25, output: 10 },
  "gpt-5-mini": { input: 0.25, output: 2 },
  "gpt-5-nano": { input: 0.05, output: 0.4 },
  "gpt-5.1": { input: 1.25, output: 10 },
  "claude-opus-4-1": { input: 15, output: 75 },
  "claude-opus-4-5": { input: 5, output: 25 },
  "claude-sonnet-4-0": { input: 3, output: 15 },
  "claude-sonnet-4-5": { input: 3, output: 15 },
  "claude-haiku-4-5": { input: 1, output: 5 },
  "llama-3.3-70b-versatile": { input: 0.59, output: 0.79 },
  "llama-3.1-8b-instant": { input: 0.05, output: 0.08 },
};
