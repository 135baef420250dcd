import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { Site } from "@toolpact/contract/cli";
import type { Role, SignedIn, SignedOut } from "./api.ts";
import type { Assets } from "./assets.ts";
import type { EventStreams } from "./event-stream.ts";
import { answerJson, Refusal, readJson } from "./json-http.ts";
import { receiveFile, sendFile } from "./media-http.ts";
import { mayAct } from "./roles.ts";
import { endSession, findSession, openSession, type SessionPlace, type Visitor } from "./sign-in.ts";
import type { WebApp } from "./web-app.ts";

/** Where and how the page is reached. */
export interface WebSetting {
  /** Opens what is behind the page, with the first request that needs it. */
  readonly open: (signal: AbortSignal) => Promise<Outcome<WebApp, Failure>>;
  /** Whom a link or passphrase signs in, if anybody. */
  readonly signIn: (request: JsonObject, place: SessionPlace) => Promise<Visitor | undefined>;
  readonly signInWays: SignedOut["sign_in"];
  readonly assets: Assets;
  readonly events: EventStreams;
  /** The address in the browser where a proxy stands before the server, such as `https://bot.example`. */
  readonly publicOrigin?: string | undefined;
  readonly version: string;
  /** By the clock of this machine. */
  readonly now: () => number;
  readonly onBug: (where: string, error: unknown) => void;
}

const CSRF_HEADER = "x-tuitbot-csrf";

/** Bytes that are read of somebody who is not signed in: room for a link or a passphrase. */
const MOST_FROM_STRANGERS = 4_096;

type ReadBody = Parameters<Site["answer"]>[1];

/** The page and its API. */
export function webSite(setting: WebSetting): Site {
  const { assets, events, now, publicOrigin } = setting;
  const closing = new AbortController();

  async function answer(request: Request, readBody: ReadBody): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
    if (!isOwnName(request, publicOrigin))
      return new Refusal(
        403,
        "wrong_host",
        "This server does not go by the name in the Host header.",
      ).response();
    if (pathname !== "/api" && !pathname.startsWith("/api/")) return page(request, pathname);
    try {
      return await answerApi(request, pathname.slice("/api/".length), readBody);
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

  async function answerApi(request: Request, path: string, readBody: ReadBody): Promise<Response> {
    requireOwnPage(request, publicOrigin);
    const [kind = "", name = "", ...rest] = path.split("/");
    const route = `${request.method} ${kind}${name === "" ? "" : "/NAME"}`;
    if (rest.length > 0 || !ROUTES.has(route))
      throw new Refusal(404, "not_found", `There is no ${request.method} /api/${path}.`);
    const opened = await setting.open(AbortSignal.any([request.signal, closing.signal]));
    if (!opened.ok) throw Refusal.of(503, "unavailable", opened.failure);
    const app = opened.value;
    const place: SessionPlace = { ...app.place, now: now() };
    const cookie = cookieOf(request.headers, cookieName(app));
    const session = cookie === undefined ? undefined : await findSession(place, cookie);
    switch (route) {
      case "GET session":
        return answerJson(
          session === undefined
            ? ({
                signed_in: false,
                sign_in: setting.signInWays,
                version: setting.version,
              } satisfies SignedOut)
            : ({ ...(await app.about()), ...sessionView(session) } satisfies SignedIn),
        );
      case "POST sign-in": {
        const visitor = await setting.signIn(await readJson(request, readBody, MOST_FROM_STRANGERS), place);
        if (visitor === undefined)
          throw new Refusal(401, "signed_out", "This link or passphrase signs nobody in.", {
            fix: "A link works once and for 15 minutes. Start the server again for another.",
          });
        const { secret, session } = await openSession(place, visitor);
        const answer = answerJson({ ...(await app.about()), ...sessionView(session) } satisfies SignedIn);
        const seconds = Math.floor((session.expiresAt - place.now) / 1_000);
        answer.headers.set("set-cookie", setCookie(cookieName(app), secret, seconds, publicOrigin));
        return answer;
      }
    }
    if (cookie === undefined || session === undefined)
      throw new Refusal(401, "signed_out", "Nobody is signed in here.", {
        fix: "Open the link that the server prints when it starts.",
      });
    if (route === "GET events") {
      // A browser sends the header when it comes back; the first time the page gives what its session said.
      const given = new URL(request.url).searchParams.get("last_event_id");
      const seenId = request.headers.get("last-event-id") ?? given ?? undefined;
      const isAllowed = async () => (await findSession({ ...place, now: now() }, cookie)) !== undefined;
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
      answer.headers.set("set-cookie", setCookie(cookieName(app), "", 0, publicOrigin));
      return answer;
    }
    if (route === "POST media") {
      requireRole(session.role, "approver");
      return receiveFile(request, readBody, app.media);
    }
    const target = kind === "tools" ? app.tool(name) : app.command(name);
    if (target === undefined)
      throw new Refusal(404, "not_found", `There is no ${kind.slice(0, -1)} ${name}.`);
    const args = await readJson(request, readBody);
    requireRole(session.role, target.role(args));
    return answerJson(await target.run(args, { ...session, signal: request.signal }));
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

/**
 * MCP goes by any name, because its token is secret. A page does not: somebody else's name that leads to this machine
 * would make it theirs.
 */
function isOwnName({ url }: Request, publicOrigin: string | undefined): boolean {
  const { hostname, host } = new URL(url);
  return (
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ||
    (publicOrigin !== undefined && host === new URL(publicOrigin).host)
  );
}

/** Pages that may call MCP may not call this, not even of the same machine: another port is another program. */
function requireOwnPage({ headers, url }: Request, publicOrigin: string | undefined): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const own = publicOrigin ?? new URL(url).origin;
  if ((site === null || site === "same-origin" || site === "none") && (origin === null || origin === own))
    return;
  throw new Refusal(403, "wrong_origin", "Only the page of this server may call this.");
}

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

function setCookie(name: string, value: string, seconds: number, publicOrigin: string | undefined): string {
  const secure = publicOrigin?.startsWith("https:") === true ? "; Secure" : "";
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=/api; Max-Age=${seconds}${secure}`;
}

function cookieOf(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
