import { type CommandFailure, EXIT } from "@toolpact/contract/cli";
import { failed, type Outcome, ok } from "@toolpact/contract/outcome";

/** A whole number from 0 on, given as the value of an option. */
export function readNumberOption(
  option: string,
  text: string,
  most: number,
): Outcome<number, CommandFailure> {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= 0 && number <= most) return ok(number);
  return failed({
    message: `--${option} cannot be ${JSON.stringify(text)}.`,
    fix: `Give a whole number from 0 to ${most}.`,
    exitCode: EXIT.usage,
  });
}
