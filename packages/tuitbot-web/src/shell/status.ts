import type { Answer } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { type Query, useQuery } from "../api/query.ts";

export type Status = Answer<"status">;

/** The state of the account, which every view shows. */
export function useStatus(): Query<Status> {
  return useQuery("status", () => runCommand("status"), [
    "approvals",
    "drafts",
    "activity",
    "runner",
    "spend",
    "stop",
  ]);
}
