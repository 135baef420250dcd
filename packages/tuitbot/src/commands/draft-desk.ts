import type { CommandOutcome } from "@toolpact/contract/cli";
import { failed } from "@toolpact/contract/outcome";
import type { Access } from "@toolpact/x-api";
import type { Publishing } from "../content/drafts/publish-draft.ts";
import type { Services } from "../product.ts";
import { commandFailure, databaseTrouble } from "./approval-desk.ts";
import type { Context } from "./context.ts";
import { openServer } from "./open-server.ts";

/** What a person at the terminal needs to work on drafts. */
export type DraftDesk = Publishing & { readonly access: Access };

/** Opens the drafts of whoever is signed in, for as long as the work takes. */
export async function atDraftDesk(
  context: Context,
  work: (desk: DraftDesk) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const opened = await openServer(PROFILE, context);
  if (!opened.ok) return opened;
  const { core, close } = opened.value;
  try {
    const resolved = await (await core()).services.resolve(NEEDS, context.signal);
    if (!resolved.ok) return failed(commandFailure(resolved.failure));
    // Exactly the services that were named.
    const { db, workflow } = resolved.value as Pick<Services, (typeof NEEDS)[number]>;
    return await work({
      ...db,
      access: workflow.access,
      now: workflow.now,
      call: (tool, args) => workflow.call(tool, args, "terminal", context.signal),
    }).catch(databaseTrouble);
  } finally {
    await close();
  }
}

const NEEDS = ["db", "workflow"] as const;

const PROFILE = {
  profile: "write",
  toolsets: undefined,
  tools: undefined,
  "exclude-tools": undefined,
  sandbox: false,
  "sandbox-plan": undefined,
} as const;
