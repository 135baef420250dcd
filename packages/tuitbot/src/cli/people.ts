import { type CommandOutcome, columns, EXIT } from "@toolpact/cli";
import { failed, ok } from "@toolpact/outcome";
import { ROLES } from "../app/sign-in/roles.ts";
import type { SessionPlace } from "../app/sign-in/sessions.ts";
import type { Config } from "../config/schema.ts";
import type { Store } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { command } from "./machine.ts";

const add = command({
  name: "add",
  describe: "Let someone sign in to the dashboard with a passphrase",
  details:
    "Asks for the passphrase, which is stored as a scrypt hash. A viewer can look, an approver can also decide on pending items, an owner can do everything. If the person exists, role and passphrase are replaced and their browsers are signed out. Only owners connect clients: with another role, the clients that they connected end.",
  args: { name: { describe: "Their name, as approvals will show it", required: true } },
  options: {
    role: {
      kind: "value",
      placeholder: "ROLE",
      describe: "What they may do; viewer by default",
      choices: ROLES,
    },
  },
  examples: [{ line: "tuitbot people add Ann --role approver", does: "lets Ann decide on pending items" }],
  async run({ name, role = "viewer" }, context) {
    if (!/^\S(.{0,62}\S)?$/u.test(name))
      return failed({
        message: "A name has 1 to 64 characters, and no space at its ends.",
        exitCode: EXIT.usage,
      });
    if (!context.terminal.isInteractive)
      return failed({
        message: "This is not a terminal, so the passphrase cannot be asked for.",
        fix: "Run it in a terminal.",
        exitCode: EXIT.usage,
      });
    const { MIN_PASSPHRASE } = await import("../app/sign-in/passphrase.ts");
    const prompts = await context.machine.prompts(context.signal);
    const passphrase = await prompts.secret(`Passphrase for ${name}, at least ${MIN_PASSPHRASE} characters`);
    if ([...passphrase].length < MIN_PASSPHRASE)
      return failed({
        message: `The passphrase is shorter than ${MIN_PASSPHRASE} characters.`,
        fix: "Take four or five words that nobody would put together.",
      });
    if ((await prompts.secret("The same again")) !== passphrase)
      return failed({ message: "The two passphrases differ.", fix: "Run it again." });
    const { savePerson } = await import("../app/sign-in/people.ts");
    return withPlace(context, async (place, { store }) => {
      await savePerson(place, { person: name, role }, passphrase);
      // Only owners connect clients.
      const ended = role === "owner" ? [] : await endClients(store, name, place.now);
      return ok({
        text: `${name} can sign in as ${role}.${endedText(ended)}`,
        json: { name, role, ended_clients: [...ended] },
      });
    });
  },
});

const list = command({
  name: "list",
  describe: "List the people who can sign in to the dashboard",
  examples: [{ line: "tuitbot people list --output json", does: "for a program" }],
  async run(_, context) {
    const { listPeople } = await import("../app/sign-in/people.ts");
    return withPlace(context, async (place) => {
      const people = await listPeople(place);
      const rows = people.map(({ name, role, since }) => [name, role, new Date(since).toISOString()]);
      return ok({
        text:
          rows.length === 0
            ? "Nobody has a passphrase; tuitbot people add NAME gives somebody one."
            : columns(rows).trimEnd(),
        json: {
          people: people.map(({ name, role, since }) => ({
            name,
            role,
            since: new Date(since).toISOString(),
          })),
        },
      });
    });
  },
});

const remove = command({
  name: "remove",
  describe: "Remove someone from the dashboard",
  details:
    "Ends their sessions, passphrase, passkeys and links, their buttons in messengers, and the clients that they connected. Someone under [[notify.people]] stays removed, whatever the configuration says, until `people add`.",
  args: { name: { describe: "Their name", required: true } },
  examples: [{ line: "tuitbot people remove Ann", does: "ends Ann's sessions, passphrase and passkeys" }],
  async run({ name }, context) {
    const [{ removePerson }, { listPasskeys }] = await Promise.all([
      import("../app/sign-in/people.ts"),
      import("../app/sign-in/passkeys.ts"),
    ]);
    return withPlace(context, async (place, { store, config: { notify } }) => {
      const passkeys = await listPasskeys(place);
      const losesAll = passkeys.length > 0 && passkeys.every(({ person }) => person === name);
      if (losesAll && !(await agrees(context, `Remove ${name}, and with them the last passkey?`)))
        return NOT_AGREED;
      const isConfigured = notify.people.some((person) => person.name === name);
      const ended = await endClients(store, name, place.now);
      const removed = (await removePerson(place, name, isConfigured)) || ended.length > 0;
      if (!removed && !isConfigured)
        return failed({
          message: `Nobody is called ${JSON.stringify(name)}.`,
          fix: "See tuitbot people list.",
        });
      const text = `${name} is signed out, and can neither sign in nor decide any more.${endedText(ended)}${
        isConfigured
          ? " They are still named under [[notify.people]], which now has no effect for them: delete that entry too."
          : ""
      }`;
      return ok({ text, json: { name, removed, still_configured: isConfigured, ended_clients: [...ended] } });
    });
  },
});

const signOut = command({
  name: "sign-out",
  describe: "Sign out the browsers of one person, or of everyone",
  details:
    "It ends sessions, however they began: by passphrase, by the link that the server prints, or by a link in a message. Links that were sent and not used yet stop working. People keep their passphrase and their buttons in messengers.",
  args: { name: { describe: "Their name", required: false } },
  options: { all: { kind: "flag", describe: "Everyone, including you" } },
  examples: [
    { line: "tuitbot people sign-out Ann", does: "signs out every browser of Ann" },
    { line: "tuitbot people sign-out --all", does: "signs out every browser" },
  ],
  async run({ name, all }, context) {
    if ((name === undefined) === (all !== true))
      return failed({
        message: "Whose browsers are to be signed out?",
        fix: "Give a name or --all, not both.",
        exitCode: EXIT.usage,
      });
    const { endSessions } = await import("../app/sign-in/people.ts");
    return withPlace(context, async (place) => {
      const ended = await endSessions(place, name);
      if (ended === 0 && name !== undefined)
        return failed({ message: `No browser is signed in as ${JSON.stringify(name)}.` });
      return ok({
        text: `${ended} ${ended === 1 ? "browser is" : "browsers are"} signed out.`,
        json: { signed_out: ended },
      });
    });
  },
});

const passkeys = command({
  name: "passkeys",
  describe: "List the passkeys for approvals, or remove a lost one",
  details:
    "While a passkey is registered, approvals need its signature, which the dashboard requests; `tuitbot approve` then only shows, edits and rejects.",
  options: { remove: { kind: "value", placeholder: "ID", describe: "Remove the passkey with this id" } },
  examples: [{ line: "tuitbot people passkeys", does: "lists them, with their ids" }],
  async run({ remove }, context) {
    const { listPasskeys, removePasskey } = await import("../app/sign-in/passkeys.ts");
    return withPlace(context, async (place) => {
      if (remove !== undefined) {
        if (!(await agrees(context, `Remove ${remove}?`))) return NOT_AGREED;
        if (!(await removePasskey(place, remove)))
          return failed({ message: "There is no such passkey.", fix: "See tuitbot people passkeys." });
      }
      const found = await listPasskeys(place);
      return ok({
        text:
          found.length === 0
            ? "There is no passkey, so approvals need none."
            : columns(
                found.map(({ id, person, site, created_at }) => [person, site, created_at, id]),
              ).trimEnd(),
        json: { passkeys: [...found] },
      });
    });
  },
});

export const people = {
  name: "people",
  describe: "Manage who can sign in to the dashboard, and their roles",
  examples: [...add.examples, ...list.examples],
  commands: [add, list, remove, signOut, passkeys],
};

const NOT_AGREED = failed({
  message: "Nothing was removed: only a person at a terminal can agree to that.",
});

/** Removing a passkey may lift the need for one, so a program without a terminal cannot do it. */
async function agrees({ terminal, signal }: Context, question: string): Promise<boolean> {
  const answer = await terminal.ask(`${question} Without any passkey, approvals need none. [y/N] `, signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

async function endClients(store: Store, person: string, now: number): Promise<readonly string[]> {
  const { endClientsOf } = await import("../app/sign-in/clients.ts");
  return endClientsOf(store, person, now);
}

function endedText(clients: readonly string[]): string {
  return clients.length === 0 ? "" : ` Clients that they connected are revoked: ${clients.join(", ")}.`;
}

interface PeopleSession {
  readonly config: Config;
  readonly store: Store;
}

/** Works on the people of the signed-in account. */
async function withPlace(
  context: Context,
  work: (place: SessionPlace, session: PeopleSession) => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const { withServices } = await import("./with-services.ts");
  return withServices(["db", "config"], { profile: "write" }, context, ({ db, config }) =>
    work(
      { db: db.store.db, account: db.account, now: context.machine.now() },
      { config: config.values, store: db.store },
    ),
  );
}
