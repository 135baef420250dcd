import type { AnyErrorSet } from "@toolpact/contract/internal";
import type { RepeatRefusal } from "@toolpact/contract/internal/guards";
import { expect, test } from "vitest";
import { errors } from "../../errors.ts";
import type { ReceiptRow } from "../../storage/tables/receipt-tables.ts";
import { repeatRefusal } from "./repeat.ts";

const now = Date.UTC(2026, 8, 15);
// As much as answers show.
const receipt = {
  id: "r1",
  attempt: 1,
  tool: "x_post_tweet",
  state: "pending",
  created_at: now - 5_000,
  result_json: null,
} as unknown as ReceiptRow;

/** With each kind of unknown outcome. */
const REFUSALS: Readonly<Record<string, RepeatRefusal<ReceiptRow>>> = {
  running: { kind: "running", receipt, until: now + 5_000 },
  "just done": { kind: "just_done", receipt, until: now + 25_000 },
  "key reused": { kind: "key_reused", receipt },
  "continued elsewhere": { kind: "continued_elsewhere", receipt, by: "r2" },
  "taken over": { kind: "taken_over", receipt: { id: "r1", attempt: 1, steps: [] } },
  "unknown for good": { kind: "in_doubt", receipt, resolved: { state: "unknown" } },
  "unknown until it is checked": {
    kind: "in_doubt",
    receipt,
    resolved: { state: "unknown", retryAt: now + 60_000 },
  },
};

const { rows }: AnyErrorSet = errors;

test.each(Object.entries(REFUSALS))(
  "the advice for a repeat that is %s agrees with its code",
  (_, refusal) => {
    const { failure } = repeatRefusal(refusal, now);
    const row = rows[failure.code] ?? expect.fail(failure.code);
    expect(failure.retryAfterMs !== undefined).toBe(row.retryable);
    if (row.retryable) expect(failure.fixBy).toBe("agent");
    if (failure.reason !== undefined) expect(row.reasons).toContain(failure.reason);
  },
);
