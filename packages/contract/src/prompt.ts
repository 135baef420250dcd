import type { Asking, Asks } from "./ask.ts";
import type { ContentBlock } from "./envelope-format.ts";

/** A message a person can start from, offered by the client under its name. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: (args: Readonly<Record<string, string>>, ask: Asking) => readonly PromptMessage[] | Asks;
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly complete?: (prefix: string) => readonly string[];
}

interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}
