import * as z from "zod";
import {
  type AuditRecord,
  audit,
  defineErrors,
  type McpApp,
  ok,
  requireConsent,
  type SuccessNotes,
  systemClock,
} from "../src/index.ts";
import {
  catalog,
  createMcpApp,
  createPipeline,
  deadline,
  defineProduct,
  idempotency,
  type McpCore,
  provideServices,
  RecentCalls,
  successEnvelope,
  surfaceOf,
} from "../src/internal.ts";

/** A small product, on which every promise of the library is tested. */
export const errors = defineErrors(
  {
    invalid_input: { category: "input", retryable: false, meaning: "An argument is wrong" },
    duplicate: {
      category: "input",
      retryable: false,
      meaning: "The same call came twice",
      reasons: ["duplicate_request"],
    },
    not_found: { category: "notes", retryable: false, meaning: "There is no such note" },
    denied: { category: "policy", retryable: false, meaning: "A person said no" },
    store_error: { category: "store", retryable: true, meaning: "The store cannot be reached" },
    too_slow: { category: "server", retryable: true, meaning: "The deadline passed" },
    internal: { category: "server", retryable: false, meaning: "A bug in the server" },
  },
  { badInput: "invalid_input", duplicate: "duplicate", deadline: "too_slow", internal: "internal" },
);

export interface Store {
  readonly notes: Map<string, string>;
}

export const product = defineProduct<{ services: { store: Store }; notes: SuccessNotes }>()({
  errors,
  categories: ["read", "write"],
  profiles: ["readonly", "full"],
  services: { store: "store_error" },
});

const noteId = z.string().regex(/^\d+$/).describe("Id of a note, as list_notes gives it");

export const addNote = product.defineTool({
  name: "add_note",
  title: "Add a note",
  description: "Keep a new note. Read it back with get_note.",
  category: "write",
  effect: "create",
  openWorld: false,
  profiles: ["full"],
  needs: ["store"],
  errors: [],
  scopes: ["notes.write"],
  input: z.strictObject({ text: z.string().min(1).describe("What to keep") }),
  output: z.object({ id: noteId }),
  handler: ({ text }, { store }) => {
    const id = String(store.notes.size + 1);
    store.notes.set(id, text);
    return ok({ id });
  },
});

export const getNote = product.defineTool({
  name: "get_note",
  title: "Get a note",
  description: "One note by its id.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["readonly", "full"],
  needs: ["store"],
  errors: ["not_found"],
  input: z.strictObject({ id: noteId }),
  output: z.object({ id: noteId, text: z.string() }),
  handler: ({ id }, { store }) => {
    const text = store.notes.get(id);
    return text === undefined ? errors.fail("not_found", `There is no note ${id}.`) : ok({ id, text });
  },
});

const listNotes = product.defineTool({
  name: "list_notes",
  title: "List notes",
  description: "All notes, oldest first.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["readonly", "full"],
  needs: ["store"],
  errors: [],
  maxBytes: 4_000,
  goOn: "Call get_note for the rest.",
  input: z.strictObject({}),
  output: z.object({ notes: z.array(z.object({ id: noteId, text: z.string() })) }),
  handler: (_input, { store }) => {
    const notes = [...store.notes].map(([id, text]) => ({ id, text }));
    return ok({ notes }, { pagination: { result_count: notes.length, has_more: false } });
  },
});

const deleteNote = product.defineTool({
  name: "delete_note",
  title: "Delete a note",
  description: "Delete a note for good. The person is asked first.",
  category: "write",
  effect: "delete",
  openWorld: false,
  profiles: ["full"],
  needs: ["store"],
  errors: ["not_found", "denied"],
  input: z.strictObject({
    id: noteId,
    confirm: z.boolean().optional().describe("True when the person agreed and cannot be asked by the client"),
  }),
  output: z.object({ deleted: z.boolean() }),
  handler: ({ id, confirm }, { store, ask }) => {
    if (!store.notes.has(id)) return errors.fail("not_found", `There is no note ${id}.`);
    const refusal = requireConsent(ask, {
      message: `Delete note ${id}?`,
      confirmed: confirm,
      code: "denied",
    });
    if (refusal) return refusal;
    return ok({ deleted: store.notes.delete(id) });
  },
});

/** Counts with progress until done or stopped. */
const countSlowly = product.defineTool({
  name: "count_slowly",
  title: "Count slowly",
  description: "Counts to `to`, one step per turn of the event loop.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["full"],
  needs: [],
  errors: [],
  deadlineMs: 20_000,
  input: z.strictObject({ to: z.int().min(1).max(1_000_000).describe("Where to stop") }),
  output: z.object({ counted: z.number() }),
  handler: async ({ to }, { signal, progress }) => {
    let counted = 0;
    while (counted < to && !signal.aborted) {
      counted++;
      progress({ done: counted, total: to, message: `${counted} of ${to}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    stoppedAt.push(counted);
    return ok({ counted });
  },
});

/** The last number of each count_slowly, even if its client did not get it. */
export const stoppedAt: number[] = [];

const breakDown = product.defineTool({
  name: "break_down",
  title: "Break down",
  description: "Fails through a bug, in the way asked for.",
  category: "read",
  effect: "none",
  openWorld: false,
  profiles: ["full"],
  needs: [],
  errors: [],
  input: z.strictObject({ how: z.enum(["throw", "wrong_output"]).describe("The bug") }),
  output: z.object({ fine: z.boolean() }),
  handler: ({ how }) => {
    if (how === "throw") throw new Error("the password is hunter2");
    return ok({ fine: "not a boolean" as unknown as boolean });
  },
});

export const notesCatalog = catalog([addNote, getNote, listNotes, deleteNote, countSlowly, breakDown]);

export const readStack = product.guardStack("read").use(deadline).answering(successEnvelope(errors));
export const writeStack = product
  .guardStack("write")
  .use(deadline)
  .use(idempotency)
  .answering(successEnvelope(errors));

export interface NotesApp {
  readonly app: McpApp;
  readonly store: Store;
  readonly audited: AuditRecord[];
  readonly bugs: string[];
}

export function notesApp({
  stateKey,
  spendAnswer,
}: {
  stateKey?: string;
  spendAnswer?: McpCore["spendAnswer"];
} = {}): NotesApp {
  const store: Store = { notes: new Map() };
  const audited: AuditRecord[] = [];
  const bugs: string[] = [];
  const reads = readStack.bind({ clock: systemClock });
  const writes = writeStack.bind({ clock: systemClock, recentCalls: new RecentCalls() });
  const services = provideServices(product, { store: async () => ok(store) });
  const pipeline = createPipeline({
    catalog: notesCatalog,
    product,
    stackFor: (tool) => (tool.category === "write" ? writes : reads),
    services,
    observers: [audit({ write: (record) => void audited.push(record) })],
    onBug: ({ reference, error }) => bugs.push(`${reference} ${String(error)}`),
  });
  const surface = surfaceOf({
    name: "notes",
    version: "1.0.0",
    instructions: "Keeps notes. add_note, then get_note.",
    catalog: notesCatalog,
    format: successEnvelope(errors),
  });
  return {
    app: createMcpApp({
      surface,
      load: async () => ({ pipeline, services, ...(spendAnswer && { spendAnswer }) }),
      ...(stateKey !== undefined && { stateKey }),
    }),
    store,
    audited,
    bugs,
  };
}
