/** In a terminal or browser. Rejects if the user stops. */
export interface Prompts {
  readonly intro: (title: string) => void;
  readonly note: (title: string, text: string) => void;
  readonly step: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly outro: (text: string) => void;
  readonly text: (question: TextQuestion) => Promise<string>;
  readonly secret: (message: string) => Promise<string>;
  readonly confirm: (message: string, initial: boolean) => Promise<boolean>;
  readonly choose: <Value extends string>(
    message: string,
    options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[],
    initial: Value,
  ) => Promise<Value>;
}

export interface TextQuestion {
  readonly message: string;
  readonly initial?: string;
  /** The problem with an answer, if any. */
  readonly check?: (answer: string) => string | undefined;
}
