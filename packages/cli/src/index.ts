export { type Check, formatChecks } from "./checks.ts";
export {
  type Command,
  type CommandContext,
  type CommandFailure,
  type CommandOutcome,
  commandFor,
  EXIT,
  type Option,
  type Options,
  type OptionValues,
  type Report,
} from "./command.ts";
export { type LocalMachine, localMachine, main, untilStopped } from "./main.ts";
export { commandsMarkdown } from "./markdown.ts";
export { bar, sparkline } from "./plot.ts";
export { commonOptions, type Program, runProgram } from "./program.ts";
export { readArguments } from "./read-arguments.ts";
export { clip, columns, type Paint, paint, type Terminal } from "./terminal.ts";
