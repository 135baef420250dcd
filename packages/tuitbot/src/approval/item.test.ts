import { decisionDigest, withVote } from "@toolpact/contract/internal/guards";
import { expect, test } from "vitest";
import { approvalDigest } from "./item.ts";

test("what people approved in an older version is still approved", () => {
  const key = new Uint8Array(32).fill(7);
  const call = { id: 3, account: "42", tool: "x_post_tweet", args: { text: "Hi" }, media: ["ab"] };
  const digest = approvalDigest(key, { ...call, schedule: undefined });
  expect(digest).toBe("dcd348ed445d4d02b4c9858b349e2ec0ddd6db4683b7d796f649b2187deda520");
  const schedule = { at: "2026-09-01T09:30:00Z", media: [] };
  expect(approvalDigest(key, { ...call, schedule, peopleNeeded: 2 })).toBe(
    "57cf9e41971154f89baea60641a60dd6e6222aee0a6e40eccab63c699d9fb3cb",
  );
  const item = { id: 3, scope: "42", digest };
  const by = 'person via web, "ana"';
  expect(decisionDigest(key, item, by)).toBe(
    "0f03cd4869168cec7ab15b08d8342fcf94b99c0b0aebd572698d4cbae92b446f",
  );
  expect(withVote(key, item, [], { person: "ana", by })).toEqual([
    { person: "ana", by, digest: "1d9b66e5c9803b3002bdd5ac9b8d497069f6d4bbdebc81e814074e25390ca8db" },
  ]);
});
