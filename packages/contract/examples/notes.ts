import { defineErrors, defineServer, guard, ok } from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";

const errors = defineErrors({
  full: { category: "notes", retryable: false, meaning: "There is no room for another note" },
});

/** Adds the name of the user to the call, for the services. */
const user = guard<{ adds: { readonly user: string } }>({
  name: "user",
  codes: () => [],
  run: (call, next) => next({ context: { user: call.caller.principal ?? "me" } }),
});

const notesOf = new Map<string, string[]>();

const server = defineServer({
  name: "notes",
  version: "1.0.0",
  instructions: "Keeps three notes per user.",
  errors,
  guards: [user],
  services: {
    notes: ({ user }) => {
      const notes = notesOf.get(user) ?? [];
      notesOf.set(user, notes);
      return ok(notes);
    },
  },
});

const addNote = server.tool({
  name: "add_note",
  description: "Write down a line of text.",
  effect: "create",
  openWorld: false,
  needs: ["notes"],
  errors: ["full"],
  input: z.strictObject({ text: z.string().min(1).describe("What to remember") }),
  output: z.object({ count: z.number() }),
  handler: ({ text }, { notes }) =>
    notes.length === 3
      ? errors.fail("full", "There are three notes already.", { suggestedFix: "Start the server again." })
      : ok({ count: notes.push(text) }),
});

serveStdio(server.app({ tools: [addNote] }));
