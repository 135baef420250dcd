/** What a program ends with. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Exit codes as help states them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.ok, "done"],
  [EXIT.failed, "what was asked for failed, or something is wrong with the set-up"],
  [EXIT.usage, "the command line was not understood"],
  [EXIT.interrupted, "interrupted with Ctrl-C"],
];
