/**
 * The effect of a call on the world. MCP hints, guards and receipts follow from it.
 *
 * | effect | example | read-only | destructive | idempotent | repeats refused |
 * |---|---|---|---|---|---|
 * | `none` | search | yes | no | yes | no |
 * | `create` | a draft, a post | no | no | no | yes |
 * | `mark` | a like | no | no | yes | yes |
 * | `update` | set a property | no | yes | yes | no |
 * | `undo` | unlike | no | yes | yes | no |
 * | `delete` | delete a post | no | yes | yes | no |
 * | `send` | mail, a payment, a direct message | no | yes | no | yes |
 *
 * In MCP a tool is destructive if it may do more than add. `send` adds, but cannot be undone, and clients prompt
 * users only for destructive tools, so its hint is true.
 */
export type Effect = keyof typeof EFFECTS;

interface EffectRow {
  readonly mutates: boolean;
  /** Removes or overwrites something, or cannot be undone. */
  readonly destructive: boolean;
  /** Repeating the call changes nothing more. */
  readonly idempotent: boolean;
  /** A repeat within seconds is probably a mistake and is rejected. */
  readonly guarded: boolean;
}

/** The consequences of each effect. */
export const EFFECTS = {
  none: { mutates: false, destructive: false, idempotent: true, guarded: false },
  /** Adds a new thing on every call, such as a post. */
  create: { mutates: true, destructive: false, idempotent: false, guarded: true },
  /** Sets a flag, such as a like. */
  mark: { mutates: true, destructive: false, idempotent: true, guarded: true },
  /** Overwrites, such as a property. */
  update: { mutates: true, destructive: true, idempotent: true, guarded: false },
  undo: { mutates: true, destructive: true, idempotent: true, guarded: false },
  delete: { mutates: true, destructive: true, idempotent: true, guarded: false },
  /** Reaches others and cannot be undone. */
  send: { mutates: true, destructive: true, idempotent: false, guarded: true },
} as const satisfies Record<string, EffectRow>;

/** MCP's four hints. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool with many actions is as dangerous as its worst. */
export function hintsOf(effects: readonly Effect[], openWorld: boolean): Hints {
  const rows = effects.map((effect) => EFFECTS[effect]);
  return {
    readOnlyHint: !rows.some((row) => row.mutates),
    destructiveHint: rows.some((row) => row.destructive),
    idempotentHint: rows.every((row) => row.idempotent),
    openWorldHint: openWorld,
  };
}
