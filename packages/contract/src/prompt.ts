import type { Asking, Asks } from "./ask.ts";
import type { ContentBlock } from "./envelope-format.ts";

/** A predefined message, offered by clients under its name. */
export interface Prompt {
  /** The name used by clients. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** Its purpose, in a sentence that clients show. */
  readonly description: string;
  /** The values that the user fills in. */
  readonly arguments: readonly PromptArgument[];
  /** Returns the messages, or a question to the user first. */
  readonly messages: (args: Readonly<Record<string, string>>, ask: Asking) => readonly PromptMessage[] | Asks;
}

interface PromptArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The value to fill in, in a sentence that clients show. */
  readonly description: string;
  /** True if the prompt requires it. */
  readonly required: boolean;
  /** Returns values that begin with the typed text. */
  readonly complete?: (prefix: string) => readonly string[];
}

interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}
