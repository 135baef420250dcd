import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { HttpExtension } from "@toolpact/contract/cli";
import { mayAct, type Role } from "../app/sign-in/roles.ts";
import {
  endSession,
  findSession,
  type NewVisitor,
  openSession,
  type RoleOf,
  type SessionPlace,
} from "../app/sign-in/sessions.ts";
import type { Assets } from "./assets.ts";
import type { EventStreams } from "./event-stream.ts";
import { answerJson, Refusal, readJson } from "./json-http.ts";
import { receiveFile, sendFile } from "./media-http.ts";
import { isLocal, isOwnName, type PublicPlace, pageOrigin, requireOwnPage, senderOf } from "./reach.ts";
import type { WebApp } from "./web-app.ts";

/** The answer of `GET /api/session` to a browser that is not signed in. */
export interface SignedOut {
  readonly signed_in: false;
  /** The options to sign in: the link that the server prints, a name and passphrase, or both. */
  readonly sign_in: readonly ("link" | "passphrase")[];
  readonly version: string;
}

/** Where and how the page is reached. */
export interface WebSetting {
  /** Opens what is behind the page, with the first request that needs it. */
  readonly open: (signal: AbortSignal) => Promise<Outcome<WebApp, Failure>>;
  /** Whom a link or passphrase signs in, if anybody. */
  readonly signIn: (
    request: JsonObject,
    place: SessionPlace,
    sender: Sender,
  ) => Promise<Outcome<NewVisitor, "wrong" | "too_many_tries">>;
  readonly roleOf: RoleOf;
  /** How somebody can sign in. */
  readonly signInWays: (place: SessionPlace, sender: Sender) => Promise<SignedOut["sign_in"]>;
  readonly assets: Assets;
  readonly events: EventStreams;
  /** How other machines reach the page; undefined where none does. */
  readonly publicPlace?: PublicPlace | undefined;
  readonly version: string;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onBug: (where: string, error: unknown) => void;
}

/** Who sends a request, as far as the network knows. */
export interface Sender {
  readonly address: string;
  /** Whether a browser of this machine asks. */
  readonly isLocal: boolean;
}

const CSRF_HEADER = "x-tuitbot-csrf";

/** Bytes that are read of somebody who is not signed in: room for a link or a passphrase. */
const MOST_FROM_STRANGERS = 4_096;

type ReadBody = Parameters<HttpExtension["answer"]>[1];

/** The page and its API. */
export function webSite(setting: WebSetting): HttpExtension {
  const { assets, events, now, publicPlace, roleOf } = setting;
  const closing = new AbortController();

  async function answer(
    request: Request,
    readBody: ReadBody,
    address: string,
    onKnown: () => void,
  ): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
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
      setting.onBug(`${request.method} ${pathname}`, error);
      return new Refusal(500, "internal", "Something here is broken; the server's log has more.").response();
    }
  }

  async function page(request: Request, path: string): Promise<Response | undefined> {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    return assets.answer(path, request.headers.get("accept-encoding") ?? "");
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
      isLocal: isLocal(request, publicPlace),
    };
    const isSecure = !sender.isLocal || new URL(request.url).protocol === "https:";
    const [kind = "", name = "", ...rest] = path.split("/");
    const route = `${request.method} ${kind}${name === "" ? "" : "/NAME"}`;
    if (rest.length > 0 || !ROUTES.has(route))
      throw new Refusal(404, "not_found", `There is no ${request.method} /api/${path}.`);
    const opened = await setting.open(AbortSignal.any([request.signal, closing.signal]));
    if (!opened.ok) throw Refusal.of(503, "unavailable", opened.failure);
    const app = opened.value;
    const place: SessionPlace = { ...app.place, now: now() };
    const cookie = cookieOf(request.headers, cookieName(app));
    const session = cookie === undefined ? undefined : await findSession(place, cookie, roleOf);
    if (session !== undefined) onKnown();
    switch (route) {
      case "GET session":
        if (session !== undefined) return answerJson({ ...(await app.about()), ...sessionView(session) });
        return answerJson({
          signed_in: false,
          sign_in: await setting.signInWays(place, sender),
          version: setting.version,
        } satisfies SignedOut);
      case "POST sign-in": {
        const given = await readJson(request, readBody, MOST_FROM_STRANGERS);
        const visitor = await setting.signIn(given, place, sender);
        if (!visitor.ok) throw signInRefusal(visitor.failure, "link" in given);
        const { secret, session } = await openSession(place, visitor.value);
        const answer = answerJson({ ...(await app.about()), ...sessionView(session) });
        const seconds = Math.floor((session.expiresAt - place.now) / 1_000);
        answer.headers.set("set-cookie", setCookie(cookieName(app), secret, seconds, isSecure));
        return answer;
      }
    }
    if (cookie === undefined || session === undefined)
      throw new Refusal(401, "signed_out", "Nobody is signed in here.", {
        fix: "Sign in first.",
      });
    if (route === "GET events") {
      // A browser sends the header when it comes back; the first time the page gives what its session said.
      const given = new URL(request.url).searchParams.get("last_event_id");
      const seenId = request.headers.get("last-event-id") ?? given ?? undefined;
      const isAllowed = async () =>
        (await findSession({ ...place, now: now() }, cookie, roleOf)) !== undefined;
      return events.open(seenId, isAllowed, request.signal);
    }
    if (route === "GET media") return sendFile(request, app.media);
    if (request.headers.get(CSRF_HEADER) !== session.csrfToken)
      throw new Refusal(403, "wrong_csrf_token", `The header ${CSRF_HEADER} is missing or wrong.`, {
        fix: "Read the token from GET /api/session.",
      });
    if (route === "POST sign-out") {
      await endSession(place, cookie);
      const answer = answerJson({ signed_in: false });
      answer.headers.set("set-cookie", setCookie(cookieName(app), "", 0, isSecure));
      return answer;
    }
    if (route === "POST media") {
      requireRole(session.role, "owner");
      return receiveFile(request, readBody, app.media);
    }
    const target = kind === "tools" ? app.tool(name) : app.command(name);
    if (target === undefined)
      throw new Refusal(404, "not_found", `There is no ${kind.slice(0, -1)} ${name}.`);
    const args = await readJson(request, readBody);
    requireRole(session.role, target.role(args));
    return answerJson(
      await target.run(args, {
        ...session,
        origin: pageOrigin(request, publicPlace),
        now: place.now,
        signal: request.signal,
      }),
    );
  }

  return {
    answer,
    async close() {
      closing.abort();
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
  "POST tools/NAME",
  "POST commands/NAME",
]);

function requireRole(role: Role, needed: Role): void {
  if (mayAct(role, needed)) return;
  throw new Refusal(403, "wrong_role", `This needs the role ${needed}; you have ${role}.`, {
    fix: "The owner signs you in with another role.",
  });
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
        fix: "Whoever runs the server gives you a passphrase: tuitbot people add NAME.",
      });
}

export type SessionView = ReturnType<typeof sessionView>;

function sessionView({
  person,
  role,
  expiresAt,
  csrfToken,
}: NonNullable<Awaited<ReturnType<typeof findSession>>>) {
  return {
    signed_in: true as const,
    person,
    role,
    expires_at: new Date(expiresAt).toISOString(),
    csrf_token: csrfToken,
  };
}

/** Browsers send a cookie to every port of a machine, so servers for different accounts need different names. */
function cookieName({ place }: Pick<WebApp, "place">): string {
  return `tuitbot-${place.account}`;
}

function setCookie(name: string, value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=/api; Max-Age=${seconds}${secure}`;
}

function cookieOf(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
