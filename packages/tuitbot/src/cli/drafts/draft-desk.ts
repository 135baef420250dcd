import type { CommandOutcome } from "@toolpact/cli";
import type { Access } from "@toolpact/x-api";
import type { Publishing } from "../../drafts/publish-draft.ts";
import type { Context } from "../context.ts";
import { withServices } from "../with-services.ts";

/** What a person at the terminal needs to work on drafts. */
export type DraftDesk = Publishing & { readonly access: Access };

/** Opens the drafts of whoever is signed in, for as long as the work takes. */
export function atDraftDesk(
  context: Context,
  work: (desk: DraftDesk) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return withServices(["db", "workflow"], { profile: "write" }, context, ({ db, workflow }) =>
    work({
      ...db,
      access: workflow.access,
      now: workflow.now,
      call: (tool, args) => workflow.call(tool, args, "terminal", context.signal),
    }),
  );
}
