import type { CommandFailure } from "@toolpact/cli";
import type { Principal } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { AGENT_TOKEN_VARIABLE } from "../../config/environment.ts";
import { isWorkflowProfile } from "../../profiles.ts";
import type { Context } from "../context.ts";
import type { OpenedServer } from "../open-server.ts";

/** The agent whose token the environment has, for the one client on stdin and stdout. It may be revoked at any time. */
export async function agentOnStdio(
  { identify, profile }: OpenedServer,
  http: string | undefined,
  { terminal }: Context,
): Promise<Outcome<Principal | undefined, CommandFailure>> {
  const token = terminal.env[AGENT_TOKEN_VARIABLE];
  if (token === undefined || token === "" || http !== undefined) return ok(undefined);
  if (!isWorkflowProfile(profile))
    return failed({
      message: `${AGENT_TOKEN_VARIABLE} is set, and the profile ${profile} knows no agents: it stores nothing.`,
      fix: "Serve the profile write or admin; the agent is offered the tools of its profile. Or unset the variable.",
    });
  try {
    const found = await identify({ token });
    if (found !== undefined)
      return ok({
        id: found.id,
        get surface() {
          return found.surface;
        },
        isValid: async () => (await identify({ token })) !== undefined,
      });
  } catch (error) {
    return failed({ message: `The token of the agent cannot be checked: ${(error as Error).message}` });
  }
  return failed({
    message: `The token in ${AGENT_TOKEN_VARIABLE} is no agent's: it was revoked, replaced or has expired.`,
    fix: "See tuitbot agents list; tuitbot agents rotate NAME gives an agent a new one.",
  });
}
