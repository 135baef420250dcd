import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../clock.ts";
import { HOUR_MS } from "../clock.ts";
import { sameDigest } from "../guards/approval-item.ts";
import { formatUsd } from "../guards/money.ts";
import { visible } from "../guards/shown-text.ts";
import type { GuardStorage } from "../guards/storage.ts";
import { parseJson } from "../json.ts";
import { refuseRebinding } from "../mcp/http-gate.ts";
import { inboxPage } from "./inbox-page.ts";
import { MAX_RECENT, recordShown, sourceShown } from "./inbox-shown.ts";

export interface InboxOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Their waiting calls are shown together. */
  readonly sources: readonly [InboxSource, ...InboxSource[]];
  readonly clock: Clock;
}

/** A gate or a server whose calls wait for approval. */
export interface InboxSource {
  readonly name: string;
  readonly storage: GuardStorage;
  /** True if the server of a tool works on this machine's files: its writes are shown as changes. */
  readonly readsFiles: (tool: string) => boolean;
  /** The policy file, for rules that allow similar calls. Without it, none are offered. */
  readonly policy?: string;
}

export interface Inbox {
  /** Signs in the first browser that opens it. */
  readonly link: string;
  readonly close: () => Promise<void>;
}

const SESSION_MS = 12 * HOUR_MS;
const MAX_BODY_BYTES = 16 * 1_024;
const MAX_NOTE = 2_000;

/**
 * Serves the inbox to browsers of this machine. Its link signs in once. After that a cookie identifies the browser, and each
 * change needs a second secret that other pages cannot read.
 */
export async function serveInbox({ port, sources, clock }: InboxOptions): Promise<Inbox> {
  const title = sources.length === 1 ? sources[0].name : "toolpact";
  const sourceOf = ({ source = 0 }: Body) => sources[Number(source)];
  let ticket: string | undefined = secret();
  let session: Session | undefined;
  let cookieName = "";

  async function answer(request: IncomingMessage): Promise<Answer> {
    const refused = refuseRebinding(headersOf(request), {});
    if (refused !== undefined)
      return { status: 403, body: "This inbox accepts only browsers of this machine." };
    const { method = "GET", url = "/" } = request;
    const { pathname } = new URL(url, "http://localhost");
    if (method === "GET" && pathname === "/") return inboxPage(title);
    if (method === "POST" && !isOwnPage(request))
      return problem(403, "Only the inbox's own page can do this.");
    if (method === "POST" && pathname === "/session") return signIn(await bodyOf(request));
    if (!isSignedIn(request)) return problem(401, "Open the link that the gate printed. It opens once.");
    if (method === "GET" && pathname === "/waiting") return waiting();
    if (method === "GET" && pathname === "/rules") return allRules();
    if (method !== "POST" || session === undefined) return problem(404, "Not found.");
    if (!sameDigest(String(request.headers["x-gate-csrf"] ?? ""), session.csrf))
      return problem(403, "The page is out of date. Load it again.");
    const body = await bodyOf(request);
    const source = sourceOf(body);
    if (source === undefined) return problem(400, "There is no such source.");
    const { policy } = source;
    if (pathname === "/decide") return decide(body, source);
    if (pathname === "/rules" && policy !== undefined) return acceptRule(body, source, policy);
    if (pathname === "/similar" && policy !== undefined) return similar(body, source, policy);
    return pathname === "/settle" ? settle(body, source) : problem(404, "Not found.");
  }

  function signIn({ ticket: given }: Body): Answer {
    if (ticket === undefined || typeof given !== "string" || !sameDigest(given, ticket))
      return problem(
        401,
        "This link was opened before, or belongs to another run. Start toolpact gate web for a new one.",
      );
    ticket = undefined;
    session = { id: secret(), csrf: secret(), until: clock.now() + SESSION_MS };
    const cookie = `${cookieName}=${session.id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_MS / 1_000}`;
    return { status: 200, json: {}, headers: { "set-cookie": cookie } };
  }

  function isSignedIn({ headers }: IncomingMessage): boolean {
    const given = (headers.cookie ?? "")
      .split(/;\s*/)
      .find((pair) => pair.startsWith(`${cookieName}=`))
      ?.slice(cookieName.length + 1);
    return (
      session !== undefined &&
      given !== undefined &&
      session.until > clock.now() &&
      sameDigest(given, session.id)
    );
  }

  async function waiting(): Promise<Answer> {
    const now = clock.now();
    const all = await Promise.all(sources.map((source, index) => sourceShown(source, index, now)));
    const day = all.reduce((sum, { spentToday }) => sum + spentToday, 0);
    return {
      status: 200,
      json: {
        csrf: session?.csrf,
        in_doubt: all.flatMap(({ inDoubt }) => inDoubt),
        waiting: all.flatMap((one) => one.waiting),
        recent: all
          .flatMap(({ recent }) => recent)
          .sort((one, other) => other.at - one.at)
          .slice(0, MAX_RECENT)
          .map(recordShown),
        spent: { day: formatUsd(day) },
      },
    };
  }

  async function decide({ id, digest, approve, note }: Body, { storage }: InboxSource): Promise<Answer> {
    if (typeof id !== "number" || typeof digest !== "string" || typeof approve !== "boolean")
      return problem(400, "A decision has id, digest and approve.");
    const isDecided = await storage.decide({
      id,
      digest,
      approve,
      by: "person via web",
      note: noteOf(note),
      now: clock.now(),
    });
    return isDecided ? { status: 200, json: {} } : problem(409, "It is no longer waiting, or has changed.");
  }

  /** Without `digest` it only shows the rule. */
  async function similar(
    { id, digest, period }: Body,
    { storage }: InboxSource,
    policy: string,
  ): Promise<Answer> {
    const item = typeof id === "number" ? await storage.item(id) : undefined;
    if (item === undefined || (period !== "day" && period !== "week"))
      return problem(400, "A rule has id and period.");
    const choice = { period, by: "person via web", now: clock.now() } as const;
    const { approveSimilar, offerSimilar, offerText } = await import("./approve-similar.ts");
    if (typeof digest === "string") {
      const approved = await approveSimilar({ id: item.id, digest }, choice, { storage, policy });
      return approved.ok ? { status: 200, json: {} } : problem(409, approved.failure);
    }
    const offer = await offerSimilar(item, choice, storage);
    return offer.ok ? { status: 200, json: { lines: offerText(offer.value) } } : problem(409, offer.failure);
  }

  async function allRules(): Promise<Answer> {
    const { rulesShown } = await import("./inbox-rules.ts");
    const all = await Promise.all(
      sources.map(async ({ policy, storage }, source) => {
        if (policy === undefined) return { suspended: [], proposals: [] };
        const { suspended, proposals } = await rulesShown({ path: policy, storage, now: clock.now() });
        return { suspended, proposals: proposals.map((one) => ({ ...one, source })) };
      }),
    );
    return {
      status: 200,
      json: {
        suspended: all.flatMap(({ suspended }) => suspended),
        proposals: all.flatMap(({ proposals }) => proposals),
      },
    };
  }

  async function acceptRule(body: Body, { storage }: InboxSource, path: string): Promise<Answer> {
    const { acceptShown } = await import("./inbox-rules.ts");
    const accepted = await acceptShown(body, { path, storage, now: clock.now() });
    return accepted.ok ? { status: 200, json: {} } : problem(409, accepted.failure);
  }

  async function settle({ id, done, note }: Body, { storage }: InboxSource): Promise<Answer> {
    if (typeof id !== "string" || typeof done !== "boolean")
      return problem(400, "A finding has id and done.");
    const finding = { isDone: done, by: "person via web", note: noteOf(note) };
    const isSettled = await storage.resolve(id, finding, clock.now());
    return isSettled ? { status: 200, json: {} } : problem(409, "Its outcome is already recorded.");
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((): Answer => problem(500, "The store is not available."))
      .then((given) => send(response, given));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  // A listening TCP server has an address of this kind.
  const { port: own } = server.address() as AddressInfo;
  // Cookies are shared by all ports of a host.
  cookieName = `toolpact_gate_${own}`;
  return {
    // Browsers do not send the part after the hash, so no log has it.
    link: `http://127.0.0.1:${own}/#${ticket}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Session {
  readonly id: string;
  readonly csrf: string;
  readonly until: number;
}

/** A response to the browser. */
export interface Answer {
  readonly status: number;
  readonly json?: object;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Body = Readonly<Record<string, unknown>>;

function problem(status: number, message: string): Answer {
  return { status, json: { error: message } };
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

/** Browsers send the origin of a request, and pages of other origins cannot change it. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return (
    headers.origin === `http://${headers.host}` &&
    (site === undefined || site === "same-origin") &&
    headers["content-type"] === "application/json"
  );
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return {};
    parts.push(part);
  }
  return Object(parseJson(Buffer.concat(parts).toString("utf8")));
}

function noteOf(note: unknown): string {
  return typeof note === "string" ? visible(note.trim().slice(0, MAX_NOTE)) : "";
}

function headersOf({ headers }: IncomingMessage): Headers {
  const found = new Headers();
  for (const name of ["host", "origin"] as const)
    if (headers[name] !== undefined) found.set(name, headers[name]);
  return found;
}

function send(response: ServerResponse, { status, json, body, headers }: Answer): void {
  response.writeHead(status, {
    "content-type": json === undefined ? "text/plain; charset=utf-8" : "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...headers,
  });
  response.end(json === undefined ? body : JSON.stringify(json));
}
