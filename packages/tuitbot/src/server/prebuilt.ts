import { surfaceFor, toolNames } from "./surface.ts";

/** Values computed when tuitbot is built: in the bundle, each function reads its result from a JSON file. */
export const prebuilt = {
  readonly: () => surfaceFor("readonly"),
  "api-readonly": () => surfaceFor("api-readonly"),
  write: () => surfaceFor("write"),
  admin: () => surfaceFor("admin"),
  "utility-readonly": () => surfaceFor("utility-readonly"),
  "utility-write": () => surfaceFor("utility-write"),
  toolNames,
};
