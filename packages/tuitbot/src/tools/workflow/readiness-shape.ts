import * as z from "zod";
import { abilities } from "../../app/readiness.ts";

/** In every report of the server's state. */
export const readinessShape = {
  can_act: z
    .boolean()
    .describe("Whether the account can post or reply now, after approval where that is needed"),
  blocked_by: z
    .array(
      z.object({
        reason: z.string(),
        message: z.string(),
        fix: z.string(),
        fix_by: z.enum(["agent", "operator", "human"]),
        blocks: z.array(z.enum(abilities)).describe("What cannot be done because of it"),
      }),
    )
    .describe("Everything that is degraded now; empty if nothing is"),
};
