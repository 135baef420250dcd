export { type LintedSurface, type LintFinding, type LintResult, lint } from "../lint/lint.ts";
export type { EnvelopeEnd, ReadEnvelope } from "./answer-problems.ts";
export { type ConnectedClient, type ConnectOptions, connect } from "./connect.ts";
export { FakeClock } from "./fake-clock.ts";
export { type Finding, type FuzzOptions, type FuzzResult, fuzz } from "./fuzz.ts";
export { type HostileArguments, hostileArguments } from "./hostile-arguments.ts";
export { sampleArguments } from "./sample-arguments.ts";
export {
  type ElicitationParams,
  type ElicitationReply,
  type PersonAnswer,
  type Question,
  type ScriptedPerson,
  scriptedPerson,
} from "./scripted-person.ts";
export { surfaceSnapshot } from "./surface-snapshot.ts";
