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
 * MCP calls a tool destructive if it may do more than add. `send` adds, but cannot be taken back, and clients prompt
 * their user only for destructive tools, so its hint is true.
 */
export type Effect = keyof typeof EFFECTS;

interface EffectRow {
  readonly mutates: boolean;
  /** Takes something away, overwrites it, or cannot be taken back. */
  readonly destructive: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
  /** A repeat within seconds is a mistake of the caller, to be refused. */
  readonly guarded: boolean;
}

/** The consequences of each effect. */
export const EFFECTS = {
  /** Reads. */
  none: { mutates: false, destructive: false, idempotent: true, guarded: false },
  /** Adds a new thing on every call, such as a post. */
  create: { mutates: true, destructive: false, idempotent: false, guarded: true },
  /** Sets a mark that is either there or not, such as a like. */
  mark: { mutates: true, destructive: false, idempotent: true, guarded: true },
  /** Overwrites, such as a property. */
  update: { mutates: true, destructive: true, idempotent: true, guarded: false },
  /** Takes a mark back. */
  undo: { mutates: true, destructive: true, idempotent: true, guarded: false },
  /** Destroys. */
  delete: { mutates: true, destructive: true, idempotent: true, guarded: false },
  /** Reaches others and cannot be taken back, such as mail or a payment. */
  send: { mutates: true, destructive: true, idempotent: false, guarded: true },
} as const satisfies Record<string, EffectRow>;

/** The four hints of MCP, all of them always set. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Hints of a tool with these effects; a tool of many actions is as dangerous as its worst. */
export function hintsOf(effects: readonly Effect[], openWorld: boolean): Hints {
  const rows = effects.map((effect) => EFFECTS[effect]);
  return {
    readOnlyHint: !rows.some((row) => row.mutates),
    destructiveHint: rows.some((row) => row.destructive),
    idempotentHint: rows.every((row) => row.idempotent),
    openWorldHint: openWorld,
  };
}
