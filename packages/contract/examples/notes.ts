import {
  deadline,
  defineErrors,
  defineProduct,
  idempotency,
  ok,
  oneStackApp,
  RecentCalls,
  type SuccessNotes,
  successEnvelope,
  systemClock,
} from "@toolpact/contract";
import { serveStdio } from "@toolpact/contract/stdio";
import * as z from "zod";

const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    full: { category: "notes", retryable: false, meaning: "There is no room for another note" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    bug: { category: "server", retryable: false, meaning: "A defect of this server" },
  },
  { badInput: "bad_input", duplicate: "bad_input", deadline: "too_slow", internal: "bug" },
);

const product = defineProduct<{ services: { notes: string[] }; notes: SuccessNotes }>()({
  errors,
  categories: ["notes"],
  profiles: ["everyone"],
  services: { notes: "bug" },
});

const addNote = product.defineTool({
  name: "add_note",
  title: "Add a note",
  description: "Write down a line of text.",
  category: "notes",
  effect: "create",
  openWorld: false,
  profiles: ["everyone"],
  needs: ["notes"],
  errors: ["full"],
  input: z.strictObject({ text: z.string().min(1).describe("What to remember") }),
  output: z.object({ count: z.number() }),
  handler: ({ text }, { notes }) =>
    notes.length === 3
      ? errors.fail("full", "There are three notes already.", { suggestedFix: "Start the server again." })
      : ok({ count: notes.push(text) }),
});

const notes: string[] = [];
const stack = product.guardStack("notes").use(deadline).use(idempotency).answering(successEnvelope(errors));
const app = oneStackApp({
  name: "notes",
  version: "1.0.0",
  instructions: "Keeps three notes.",
  product,
  tools: [addNote],
  stack: stack.bind({ clock: systemClock, recentCalls: new RecentCalls() }),
  services: { notes: () => ok(notes) },
  onBug: ({ reference, error }) => console.error(reference, error),
});

serveStdio(app);
