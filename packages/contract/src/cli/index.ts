export { type ClientChange, planClientChange, writeClientChange } from "./client-config.ts";
export {
  type AnyCommand,
  type Argument,
  type Arguments,
  type Command,
  type CommandContext,
  type CommandFailure,
  type CommandGroup,
  type CommandOutcome,
  commandFor,
  type Example,
  type Flag,
  type ListOption,
  type Option,
  type Options,
  type OptionValues,
  type Report,
  type ValueOption,
} from "./command.ts";
export { completionScript, type Shell, shells } from "./completion.ts";
export { main } from "./main.ts";
export { type ClientMachine, type Launch, type McpClient, mcpClients } from "./mcp-clients.ts";
export { commonOptions, EXIT, exitCodes, type Program, runProgram } from "./program.ts";
export { columns, type Paint, paint, processTerminal, type Terminal } from "./terminal.ts";
