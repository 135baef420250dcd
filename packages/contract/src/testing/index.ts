export { type LintResult, lint } from "../lint/lint.ts";
export { type ConnectedClient, connect } from "./connect.ts";
export { FakeClock } from "./fake-clock.ts";
export { type FuzzResult, fuzz } from "./fuzz.ts";
export { sampleArguments } from "./sample-arguments.ts";
export { type PersonAnswer, type ScriptedPerson, scriptedPerson } from "./scripted-person.ts";
export { surfaceSnapshot } from "./surface-snapshot.ts";
