import { ok } from "@toolpact/contract";
import * as z from "zod";
import { defineTool } from "../product.ts";
import { allSix } from "../profiles.ts";

export const healthCheck = defineTool({
  name: "health_check",
  title: "Check health",
  describe: "Whether X can be reached and who is signed in; what to do where not. Never fails.",
  category: "health",
  effect: "none",
  openWorld: true,
  profiles: allSix,
  needs: ["server"],
  errors: [],
  input: z.strictObject({}),
  output: z.object({
    status: z.enum(["ok", "degraded"]),
    profile: z.string(),
    version: z.string(),
    authenticated_user: z
      .object({ id: z.string(), username: z.string(), name: z.string() })
      .nullable()
      .describe("Null where nobody is known to be signed in"),
    x: z.object({
      status: z.string(),
      message: z.string().optional(),
      fix: z.string().optional().describe("What to do about it"),
    }),
  }),
  run: async (_input, { server, signal }) => {
    const connection = await server.connection(signal);
    const isOk = connection.status === "ok";
    return ok({
      status: isOk ? ("ok" as const) : ("degraded" as const),
      profile: server.profile,
      version: server.version,
      authenticated_user: isOk ? { ...connection.me } : null,
      x: isOk
        ? { status: connection.status }
        : { status: connection.status, message: connection.message, fix: connection.fix },
    });
  },
});
