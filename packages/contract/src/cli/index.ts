export { argumentsIn, callOptions, callTool } from "./call-tool.ts";
export { type Check, shownChecks } from "./checks.ts";
export {
  type Command,
  type CommandContext,
  type CommandFailure,
  type CommandGroup,
  type CommandOutcome,
  commandFailure,
  commandFor,
  type Option,
  type Options,
  type OptionValues,
  type Report,
} from "./command.ts";
export { completionCommand } from "./completion.ts";
export { EXIT } from "./exit.ts";
export { httpOption } from "./listen.ts";
export { main } from "./main.ts";
export { commonOptions, type Program, runProgram } from "./program.ts";
export { serveApp } from "./serve-app.ts";
export { launchOf, setUpClients, setupOptions } from "./set-up-clients.ts";
export { columns, type Paint, paint, type Terminal } from "./terminal.ts";
export { untilStopped } from "./until-stopped.ts";
