import type { Prompts } from "../../app/prompts.ts";

/** Asks in this process's terminal. The library is loaded only here: every other start would pay for it. */
export async function terminalPrompts(signal: AbortSignal): Promise<Prompts> {
  const [clack, { untilStopped }] = await Promise.all([import("./clack.ts"), import("@toolpact/cli")]);
  async function answered<Asked>(asked: Promise<Asked>): Promise<Exclude<Asked, symbol>> {
    const answer = await asked;
    // The symbol that says that the person stopped is the only one.
    if (!clack.isCancel(answer)) return answer as Exclude<Asked, symbol>;
    clack.cancel("Stopped. What was written before is whole; run tuitbot init again to go on.");
    if (!signal.aborted) {
      // The terminal is in raw mode while a question is asked, so Ctrl-C sends no signal by itself.
      process.kill(process.pid, "SIGINT");
      await untilStopped(signal);
    }
    throw signal.reason;
  }
  return {
    intro: (title) => clack.intro(title),
    note(title, text) {
      // A title that is wider than the terminal would break the frame; lines inside it are wrapped.
      const fits = title.length + FRAME <= (process.stdout.columns ?? 80);
      if (fits) clack.note(text, title);
      else clack.note(`${title}\n\n${text}`);
    },
    step: (text) => clack.log.step(text),
    warn: (text) => clack.log.warn(text),
    outro: (text) => clack.outro(text),
    text: async ({ message, initial = "", check }) =>
      // Enter on an empty line is an answer too, which the library returns as undefined.
      (await answered(
        clack.text({
          message,
          initialValue: initial,
          signal,
          ...(check && { validate: (answer) => check(answer ?? "") }),
        }),
      )) ?? "",
    secret: async (message) => (await answered(clack.password({ message, signal }))) ?? "",
    confirm: (message, initial) => answered(clack.confirm({ message, initialValue: initial, signal })),
    choose: (message, options, initial) =>
      answered(
        clack.select<string>({
          message,
          initialValue: initial,
          options: options.map((option) => ({ ...option })),
          signal,
        }),
        // One of the options above.
      ) as Promise<typeof initial>,
  };
}

/** Width that the frame of a note adds to its title. */
const FRAME = 8;
