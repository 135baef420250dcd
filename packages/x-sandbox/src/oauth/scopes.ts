import { operations } from "@toolpact/x-api/operations";

/** Every scope that an operation asks for, and those that no operation asks for but X grants. */
export const knownScopes: readonly string[] = [
  ...new Set([
    ...Object.values(operations).flatMap(({ auth }) =>
      auth.flatMap((rule) => (rule.scheme === "oauth2" ? rule.scopes : [])),
    ),
    "block.write",
    "offline.access",
    "users.email",
  ]),
].sort();
