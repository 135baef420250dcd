import * as z from "zod";
import { protect } from "../src/guards/index.ts";
import { type Clock, defineErrors, defineServer, failed, guard, ok, once } from "../src/index.ts";

// Read by the compiler only: every `@ts-expect-error` below is an error that a declaration must have.

const errors = defineErrors({ full: { category: "notes", retryable: false, meaning: "There is no room" } });
const account = guard<{ adds: { readonly user: string } }, "denied">({
  name: "account",
  codes: () => ["denied"],
  run: (_call, next) => next({ context: { user: "ada" } }),
});
const greeting = guard<{ requires: { readonly user: string }; adds: { readonly hello: string } }>({
  name: "greeting",
  codes: () => [],
  run: (call, next) => next({ context: { hello: `Hello ${call.context.user.toUpperCase()}` } }),
});
const timed = guard<{ dependencies: { clock: Clock } }>({
  name: "timed",
  codes: () => [],
  run: (_call, next, { clock }) => (clock.now() > 0 ? next() : next()),
});
const open = once(async () => ok(new Map<string, string>()));

const server = defineServer({
  name: "notes",
  version: "1.0.0",
  errors,
  services: {
    notes: () => open(),
    // The guards' context has its types, without `!`.
    letters: ({ user, hello }) => ok({ text: `${hello.trim()} ${user.toUpperCase()}` }),
    mail: ({ user }) => (user === "" ? failed({ code: "denied", message: "No user." }) : ok({ to: user })),
  },
  guards: [timed, account, greeting],
});

const sound = {
  name: "sound",
  description: "Do it.",
  effect: "none",
  input: z.strictObject({ id: z.string() }),
  output: z.object({ text: z.string() }),
} as const;

server.tool({ ...sound, handler: ({ id }) => ok({ text: id.trim() }) });
server.tool({
  ...sound,
  needs: ["notes", "letters", "mail"],
  errors: ["full", "not_found"],
  handler: ({ id }, { notes, letters, mail }) =>
    notes.has(id) ? ok({ text: letters.text + mail.to.trim() }) : errors.fail("full", "No room."),
});

// @ts-expect-error a code that is not declared
server.tool({ ...sound, handler: () => errors.fail("full", "No room.") });

// @ts-expect-error a code that is not in the set
server.tool({ ...sound, errors: ["no_such_code"], handler: () => ok({ text: "" }) });

// @ts-expect-error there is no such service
server.tool({ ...sound, needs: ["database"], handler: () => ok({ text: "" }) });

// @ts-expect-error a service that is not declared
server.tool({ ...sound, handler: (_input, { notes }) => ok({ text: String(notes) }) });

server.actionTool({
  name: "notes",
  description: "Work on notes.",
  needs: ["notes"],
  errors: ["full"],
  actions: (action) => ({
    add: action({ ...sound, handler: ({ id }, { notes }) => ok({ text: notes.get(id.trim()) ?? "" }) }),
    // @ts-expect-error a code that is not declared
    fail: action({ ...sound, handler: () => errors.fail("denied", "No.") }),
  }),
});

const page = {
  uri: "notes://all",
  name: "notes",
  title: "Notes",
  description: "All notes.",
  mimeType: "text/plain",
};
server.resource({
  ...page,
  needs: ["notes"],
  read: async (_request, { notes }) => ok({ text: [...notes.keys()].join("\n") }),
});

// @ts-expect-error no guard runs in front of a resource, so a service that uses their context is not available
server.resource({ ...page, needs: ["letters"], read: async () => ok({ text: "" }) });

// @ts-expect-error the guard in front of it is missing
defineServer({ name: "notes", version: "1.0.0", guards: [greeting] });

const small = defineServer({ name: "small", version: "1.0.0" });
small.tool({ ...sound, errors: ["not_found"], handler: () => small.errors.fail("not_found", "No.") });
// @ts-expect-error a code of another set
small.tool({ ...sound, errors: ["full"], handler: () => ok({ text: "" }) });

const guarded = protect({ errors, codes: { retry: "busy", refused: "denied" } });
// @ts-expect-error protect needs a storage
defineServer({ name: "guarded", version: "1.0.0", errors, protect: guarded });

// @ts-expect-error a refusal must have a code that is not retryable
protect({ errors, codes: { retry: "busy", refused: "too_slow" } });
