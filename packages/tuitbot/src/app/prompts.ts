/** Asks the questions of the guided set-up, in a terminal or a browser. A question rejects if the user stops. */
export interface Prompts {
  readonly intro: (title: string) => void;
  /** A text to read before the next question. */
  readonly note: (title: string, text: string) => void;
  /** One line on what was done. */
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
  /** Returns the problem with an answer, or undefined if there is none. */
  readonly check?: (answer: string) => string | undefined;
}
