import {
  type Clock,
  deadline,
  defineErrors,
  defineProduct,
  EFFECTS,
  failed,
  idempotency,
  type McpApp,
  ok,
  oneStackApp,
  RecentCalls,
  type SuccessNotes,
  successEnvelope,
  systemClock,
} from "@toolpact/contract";
import * as z from "zod";

/** Every error that this server can answer with. */
export const errors = defineErrors(
  {
    bad_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    duplicate: { category: "input", retryable: false, meaning: "The same call was made a moment ago" },
    too_many: { category: "limit", retryable: true, meaning: "The limit of changes is reached" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    bug: { category: "server", retryable: false, meaning: "A defect of this server" },
  },
  { badInput: "bad_input", duplicate: "duplicate", deadline: "too_slow", internal: "bug" },
);

const product = defineProduct<{ services: { notes: string[] }; notes: SuccessNotes }>()({
  errors,
  categories: ["notes"],
  profiles: ["everyone"],
  services: { notes: "bug" },
});

/** A tool: what it takes, what it answers, what it does to the world, and how it may fail. */
const addNote = product.defineTool({
  name: "add_note",
  title: "Add a note",
  description: "Write down a line of text, and get the number of notes.",
  category: "notes",
  effect: "create",
  openWorld: false,
  profiles: ["everyone"],
  needs: ["notes"],
  errors: [],
  input: z.strictObject({ text: z.string().min(1).max(1_000).describe("What to remember") }),
  output: z.object({ count: z.number() }),
  handler: ({ text }, { notes }) => ok({ count: notes.push(text) }),
});

const CHANGES_PER_MINUTE = 10;

/** A guard: it sees every call before the tool does, and may answer instead of it. */
const limit = product.guard<{ dependencies: { readonly clock: Clock; readonly changes: number[] } }>({
  name: "limit",
  codes: (tool) => (tool.effects.some((effect) => EFFECTS[effect].mutates) ? ["too_many"] : []),
  run: async (call, next, { clock, changes }) => {
    if (!EFFECTS[call.effect].mutates) return next();
    const now = clock.now();
    const recent = changes.filter((at) => at > now - 60_000);
    if (recent.length >= CHANGES_PER_MINUTE)
      return failed({ code: "too_many", message: `There were ${recent.length} changes within a minute.` });
    changes.splice(0, changes.length, ...recent, now);
    return next();
  },
});

/** Read this line to know everything that can happen to a call. */
const stack = product
  .guardStack("notes")
  .use(deadline)
  .use(idempotency)
  .use(limit)
  .answering(successEnvelope(errors));

export function createApp(clock: Clock = systemClock): McpApp {
  const notes: string[] = [];
  return oneStackApp({
    name: "my-server",
    version: "0.1.0",
    instructions: "Keeps notes until it is stopped. Write one down with add_note.",
    product,
    tools: [addNote],
    stack: stack.bind({ clock, recentCalls: new RecentCalls(), changes: [] }),
    services: { notes: () => ok(notes) },
    onBug: ({ reference, error }) => console.error(reference, error),
  });
}

export const app = createApp();
