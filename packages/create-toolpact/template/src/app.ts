import { type Clock, defineErrors, defineServer, EFFECTS, guard, type McpApp, ok } from "@toolpact/contract";
import * as z from "zod";

/** The errors of this server, in addition to the common ones such as `bad_input` and `denied`. */
export const errors = defineErrors({
  too_many: { category: "limit", retryable: true, meaning: "The limit of changes is reached" },
});

const CHANGES_PER_MINUTE = 10;

/** A guard runs before the tool of each call, and may answer in its place. */
const limitChanges = (changes: number[]) =>
  guard<{ dependencies: { readonly clock: Clock } }, "too_many">({
    name: "limit changes",
    codes: (tool) => (tool.effects.some((effect) => EFFECTS[effect].mutates) ? ["too_many"] : []),
    run: async (call, next, { clock }) => {
      if (!EFFECTS[call.effect].mutates) return next();
      const now = clock.now();
      const recent = changes.filter((at) => at > now - 60_000);
      if (recent.length >= CHANGES_PER_MINUTE)
        return errors.fail("too_many", `There were ${recent.length} changes within a minute.`);
      changes.splice(0, changes.length, ...recent, now);
      return next();
    },
  });

export function createApp(clock?: Clock): McpApp {
  const notes: string[] = [];
  const server = defineServer({
    name: "my-server",
    version: "0.1.0",
    instructions: "Keeps notes until it is stopped. Write one down with add_note.",
    errors,
    guards: [limitChanges([])],
    services: { notes: () => ok(notes) },
  });

  const addNote = server.tool({
    name: "add_note",
    description: "Write down a line of text, and get the number of notes.",
    effect: "create",
    openWorld: false,
    needs: ["notes"],
    input: z.strictObject({ text: z.string().min(1).max(1_000).describe("What to remember") }),
    output: z.object({ count: z.number() }),
    handler: ({ text }, { notes }) => ok({ count: notes.push(text) }),
  });

  return server.app({ tools: [addNote], clock });
}

export const app = createApp();
