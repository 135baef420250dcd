import type { Failure } from "@toolpact/contract";
import { maskSecrets } from "@toolpact/contract/internal";
import type { HttpExtension } from "@toolpact/contract/internal/cli";
import { personVia } from "@toolpact/contract/internal/guards";
import { type Outcome, ok } from "@toolpact/outcome";
import { heldDecisions } from "../app/send-reply.ts";
import type { Services } from "../app/services.ts";
import { signDevice } from "../app/sign-in/known-device.ts";
import { mayAct, type Role } from "../app/sign-in/roles.ts";
import {
  endListedSession,
  endSession,
  findSession,
  listSessions,
  openSession,
  type SealedPlace,
  type SessionPlace,
  type SignInLinks,
  type WebSession,
} from "../app/sign-in/sessions.ts";
import { currentRole, newTurns, signIn, signInOptions } from "../app/sign-in/sign-in.ts";
import { pageFolder } from "../page-files.ts";
import type { Core } from "../server/core.ts";
import type { TuitbotServer } from "../server/server.ts";
import { watchChanges } from "../storage/watch-changes.ts";
import { version } from "../version.ts";
import { assetsIn } from "./assets.ts";
import { commandNamed, toolNamed } from "./calls.ts";
import type { ServedSignIn } from "./client-sign-in.ts";
import type { CommandSession } from "./commands.ts";
import { cookieName, cookieOf, deviceCookie, setCookie } from "./cookies.ts";
import { eventStreams } from "./event-stream.ts";
import { answerJson, Refusal, readJson } from "./json-http.ts";
import { receiveFile, sendFile } from "./media-http.ts";
import { isLocal, isOwnName, type PublicPlace, pageOrigin, requireOwnPage, senderOf } from "./reach.ts";
import { rehearseOnce } from "./rehearse-once.ts";
import { serverInfo, snapshotOf } from "./server-info.ts";
import { type RunSetup, SetupConversation } from "./setup-conversation.ts";

export interface WebSetting {
  readonly server: Pick<TuitbotServer, "isSandbox" | "config">;
  /** The path in front of every address of this account: empty, or `/accounts/NAME`. */
  readonly base: string;
  /** Every account of the server, this one among them. */
  readonly accounts: readonly AccountAddress[];
  readonly personCore: () => Promise<Core>;
  readonly links: SignInLinks;
  /** How other machines reach the dashboard; undefined if none does. */
  readonly publicPlace: PublicPlace | undefined;
  readonly firstLines: CommandSession["firstLines"];
  /** The sign-in of clients that are added by URL. */
  readonly clients: ServedSignIn | undefined;
  /** How many times as fast as real time the clock of the server runs. */
  readonly speed: number;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onError: (message: string) => void;
  readonly runSetup: RunSetup;
  /** Fires when the server stops. */
  readonly signal: AbortSignal;
}

/** The dashboard of one account of the server. */
export interface AccountAddress {
  readonly name: string;
  readonly path: string;
}

const CSRF_HEADER = "x-tuitbot-csrf";

/** The largest sign-in request: room for a link or a passphrase. */
const MAX_SIGN_IN_BYTES = 4_096;

/** Passphrases of strangers that are checked at once. */
const MAX_CHECKS = 2;
/** A browser is remembered for half a year after a sign-in. */
const DEVICE_SECONDS = 180 * 24 * 60 * 60;

type ReadBody = Parameters<HttpExtension["answer"]>[1];

const NEEDS = ["db", "workflow", "config", "approvals"] as const;

type Resolved = Pick<Services, (typeof NEEDS)[number]> & { readonly core: Core };

/** The dashboard of a server: its files and its API. */
export function webSite(setting: WebSetting): HttpExtension {
  const { server, base, speed, links, publicPlace, firstLines, now, onError } = setting;
  const { storage } = server.config.values;
  const folder = pageFolder();
  const assets = folder === undefined ? undefined : assetsIn(folder);
  const setup = new SetupConversation(setting.runSetup, setting.signal, onError);
  const rehearse = rehearseOnce();
  const held = heldDecisions(onError);
  const roleOf = currentRole(server.config.people);
  const turns = newTurns(MAX_CHECKS);
  const closing = new AbortController();
  const events = eventStreams({
    async snapshot() {
      const resolved = await resolve(new AbortController().signal);
      if (!resolved.ok) throw new Error(resolved.failure.message);
      return snapshotOf(resolved.value);
    },
    watch: (onChange) => watchChanges({ url: storage.url, path: storage.db_path }, onChange),
    onError: (error) => onError(`Events: ${maskSecrets(error instanceof Error ? error.message : "unknown")}`),
  });

  async function resolve(signal: AbortSignal): Promise<Outcome<Resolved, Failure>> {
    const core = await setting.personCore();
    const resolved = await core.services.resolve(NEEDS, {}, signal);
    // Exactly the services that were named.
    return resolved.ok ? ok({ ...(resolved.value as Omit<Resolved, "core">), core }) : resolved;
  }

  async function signedIn(services: Resolved, session: WebSession): Promise<SignedIn> {
    const { info, state } = await serverInfo(services, { isSandbox: server.isSandbox, speed });
    events.publish(state);
    return { ...info, ...sessionView(session), accounts: accountsFor(session) };
  }

  /** The owner of the machine has every account; anybody else sees no sign of the others. */
  function accountsFor(session: WebSession) {
    const isOwner = session.method === "printed_link" && setting.accounts.length > 1;
    return isOwner
      ? setting.accounts.map(({ name, path }) => ({ name, is_this: name === server.config.account, path }))
      : [];
  }

  async function answer(
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ): Promise<Response | undefined> {
    const pathname = new URL(request.url).pathname.slice(base.length);
    if (!isOwnName(request, publicPlace))
      return new Refusal(
        403,
        "wrong_host",
        "This server does not go by the name in the Host header.",
      ).response();
    if (pathname !== "/api" && !pathname.startsWith("/api/")) return page(request, pathname);
    try {
      return await answerApi(request, pathname.slice("/api/".length), readBody, address, onKnown);
    } catch (error) {
      if (error instanceof Refusal) return error.response();
      const stack = maskSecrets((error instanceof Error && error.stack) || "unknown");
      onError(`${request.method} ${pathname} failed: ${stack}`);
      return new Refusal(500, "internal", "Something here is broken; the server's log has more.").response();
    }
  }

  async function page(request: Request, path: string): Promise<Response | undefined> {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    return assets?.answer(path, request.headers.get("accept-encoding") ?? "");
  }

  async function answerApi(
    request: Request,
    path: string,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ): Promise<Response> {
    requireOwnPage(request, publicPlace);
    const sender = {
      address: senderOf(request, address, publicPlace),
      isLocal: isLocal(request, address, publicPlace),
    };
    const isSecure = !sender.isLocal || new URL(request.url).protocol === "https:";
    const [kind = "", name = "", ...rest] = path.split("/");
    const route = `${request.method} ${kind}${name === "" ? "" : "/NAME"}`;
    if (rest.length > 0 || !ROUTES.has(route))
      throw new Refusal(404, "not_found", `There is no ${request.method} /api/${path}.`);
    const resolved = await resolve(AbortSignal.any([request.signal, closing.signal]));
    if (!resolved.ok) throw Refusal.of(503, "unavailable", resolved.failure);
    const services = resolved.value;
    const { mediaRoots } = services.workflow;
    const { store, account } = services.db;
    const { key } = services.approvals;
    const place: SealedPlace = { db: store.db, account, now: now(), key };
    const cookie = cookieOf(request.headers, cookieName(account));
    const session = cookie === undefined ? undefined : await findSession(place, cookie, roleOf);
    if (session !== undefined) onKnown();
    const cookiePath = `${base}/api`;
    switch (route) {
      case "GET session":
        return answerJson(
          session === undefined ? await signedOut(place, sender) : await signedIn(services, session),
        );
      case "POST sign-in": {
        const given = await readJson(request, readBody, MAX_SIGN_IN_BYTES);
        const device = cookieOf(request.headers, deviceCookie(account));
        const visitor = await signIn(given, { place, key, roleOf, links, turns }, { ...sender, device });
        if (!visitor.ok) throw signInRefusal(visitor.failure, "link" in given);
        const { secret, session } = await openSession(place, visitor.value);
        const answer = answerJson(await signedIn(services, session));
        const seconds = Math.floor((session.expiresAt - place.now) / 1_000);
        answer.headers.set(
          "set-cookie",
          setCookie(cookieName(account), secret, cookiePath, seconds, isSecure),
        );
        if (visitor.value.method === "passphrase") {
          const known = signDevice(key, { account, person: session.person });
          const cookie = setCookie(deviceCookie(account), known, cookiePath, DEVICE_SECONDS, isSecure);
          answer.headers.append("set-cookie", cookie);
        }
        return answer;
      }
    }
    if (cookie === undefined || session === undefined) throw signedOutRefusal();
    /** The session as it is now: reading a body and carrying out a call take time. */
    const sessionNow = () => findSession({ ...place, now: now() }, cookie, roleOf);
    if (route === "GET events") {
      // A browser sends the header when it comes back; the first time the page gives what its session said.
      const given = new URL(request.url).searchParams.get("last_event_id");
      const seenId = request.headers.get("last-event-id") ?? given ?? undefined;
      const isAllowed = async () => (await sessionNow()) !== undefined;
      return events.open({ person: session.person, seenId, isAllowed }, request.signal);
    }
    if (route === "GET media") return sendFile(request, mediaRoots);
    if (request.headers.get(CSRF_HEADER) !== session.csrfToken)
      throw new Refusal(403, "wrong_csrf_token", `The header ${CSRF_HEADER} is missing or wrong.`, {
        fix: "Read the token from GET /api/session.",
      });
    if (route === "POST sign-out") {
      await endSession(place, cookie);
      const answer = answerJson({ signed_in: false });
      answer.headers.set("set-cookie", setCookie(cookieName(account), "", cookiePath, 0, isSecure));
      return answer;
    }
    if (route === "POST accounts/NAME") {
      const found = accountsFor(session).find((one) => one.name === name);
      if (found === undefined) throw new Refusal(404, "not_found", `There is no account ${name} here.`);
      const link = links.create({ person: session.person, role: session.role });
      return answerJson({ address: `${found.path}/#signin=${link}` });
    }
    if (route === "POST media") {
      requireRole(session.role, "owner");
      return receiveFile(request, readBody, mediaRoots);
    }
    const target = kind === "tools" ? toolNamed(name) : commandNamed(name);
    if (target === undefined)
      throw new Refusal(404, "not_found", `There is no ${kind.slice(0, -1)} ${name}.`);
    const args = await readJson(request, readBody);
    const visitor = await sessionNow();
    if (visitor === undefined) throw signedOutRefusal();
    const needed = target.role(args);
    requireRole(visitor.role, needed);
    // Owners see and end every session, others their own.
    const person = visitor.role === "owner" ? undefined : visitor.person;
    return answerJson(
      await target.run(args, {
        ...{ ...services, setup, rehearse, firstLines, speed, held },
        by: personVia("web", namedAs(visitor)),
        mayDecide: async () => {
          const current = await sessionNow();
          return current !== undefined && mayAct(current.role, needed);
        },
        visitor: { ...visitor, origin: pageOrigin(request, address, publicPlace), now: place.now },
        signal: request.signal,
        clients: setting.clients?.forBrowser(request),
        sessions: () => listSessions({ ...place, now: now() }, roleOf, { person, secret: cookie }),
        endSession: (id) => endListedSession(place, id, person),
      }),
    );
  }

  return {
    answer,
    async close() {
      closing.abort();
      held.close();
      await events.close();
    },
  };
}

/** Every address of the API. */
const ROUTES: ReadonlySet<string> = new Set([
  "GET session",
  "GET events",
  "POST sign-in",
  "POST sign-out",
  "GET media",
  "POST media",
  "POST accounts/NAME",
  "POST tools/NAME",
  "POST commands/NAME",
]);

function requireRole(role: Role, needed: Role): void {
  if (mayAct(role, needed)) return;
  throw new Refusal(403, "wrong_role", `This needs the role ${needed}; you have ${role}.`, {
    fix: "The owner signs you in with another role.",
  });
}

function signedOutRefusal(): Refusal {
  return new Refusal(401, "signed_out", "Nobody is signed in here.", { fix: "Sign in first." });
}

function signInRefusal(why: "wrong" | "too_many_tries", isLink: boolean): Refusal {
  if (why === "too_many_tries")
    return new Refusal(429, "too_many_tries", "There were too many wrong passphrases.", {
      fix: "Wait a minute.",
    });
  return isLink
    ? new Refusal(401, "signed_out", "This link signs nobody in.", {
        fix: "A link works once, for 15 minutes, and on the machine of the server. Start the server again for another.",
      })
    : new Refusal(401, "signed_out", "This name and passphrase sign nobody in.", {
        fix: "The server's owner gives you a passphrase: tuitbot people add NAME.",
      });
}

/** The answers of `GET /api/session`. */
export type SignedOut = Awaited<ReturnType<typeof signedOut>>;
export type SignedIn = Awaited<ReturnType<typeof serverInfo>>["info"] &
  ReturnType<typeof sessionView> & {
    /** The accounts that this visitor can switch to, with the open one; empty if there is nothing to switch. */
    readonly accounts: readonly (AccountAddress & { readonly is_this: boolean })[];
  };

async function signedOut(place: SessionPlace, sender: Parameters<typeof signInOptions>[1]) {
  return { signed_in: false as const, sign_in: await signInOptions(place, sender), version };
}

function sessionView({ person, role, expiresAt, csrfToken }: WebSession) {
  return {
    signed_in: true as const,
    person,
    role,
    expires_at: new Date(expiresAt).toISOString(),
    csrf_token: csrfToken,
  };
}

/** Names the visitor in decisions. The link that a server prints signs in the user of its machine. */
function namedAs({ person, method }: Pick<WebSession, "person" | "method">): string {
  return `${method === "printed_link" ? "user " : ""}${JSON.stringify(person)}`;
}
