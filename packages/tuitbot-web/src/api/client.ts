import { signal } from "@preact/signals";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Answer, CommandArgs, CommandName, SessionAnswer, StoredFile } from "tuitbot/src/web/api.ts";
import { serverTimeIs } from "../format/clock.ts";
import { showTimesIn } from "../format/dates.ts";
import { words } from "../text/words.ts";
import { type Problem, problemOf } from "./problem.ts";

/** The path of the account in front of every address: empty, or `/accounts/NAME`. */
export const base = /^\/accounts\/[^/]+/.exec(location.pathname)?.[0] ?? "";

/** Who is signed in here, and on what server; undefined until it is known. */
export const session = signal<SessionAnswer | undefined>(undefined);

/** Calls a tool, as an MCP client would. */
export function callTool<Value>(name: string, args: object = {}): Promise<Outcome<Value, Problem>> {
  return post(`/api/tools/${name}`, args, (body) => {
    const { success, data, error } = body as Readonly<Record<string, unknown>>;
    // The tool's declared output; the page reads it as the shape that it declares for it.
    return success === true ? ok(data as Value) : failed(problemOf(error, words.problems.unexpected));
  });
}

/** Runs a command of the server. */
export function runCommand<Name extends CommandName>(
  name: Name,
  ...[args, signal]: CommandArgs<Name>
): Promise<Outcome<Answer<Name>, Problem>> {
  return post(
    `/api/commands/${name}`,
    args ?? {},
    (body, isOk) =>
      // The server's types are those of this command.
      isOk ? ok(body as Answer<Name>) : failed(problemOf(errorIn(body), words.problems.unexpected)),
    signal,
  );
}

/** Uploads a local file to the server, for a draft to name. */
export function sendFile(file: File): Promise<Outcome<StoredFile, Problem>> {
  return post("/api/media", file, (body) => ok(body as StoredFile));
}

/** The address of a draft's file. */
export function fileAddress(path: string): string {
  return `${base}/api/media?file=${encodeURIComponent(path)}`;
}

function errorIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
}

/** Asks who is signed in. A one-time link in the address signs in first, and is removed from it. */
export async function openSession(): Promise<void> {
  const [, link, place] = /^#signin=([^/]+)(\/.+)?$/.exec(location.hash) ?? [];
  if (link !== undefined) {
    history.replaceState(null, "", `${location.pathname}${place === undefined ? "" : `#${place}`}`);
    const signedIn = await signIn({ link });
    if (!signedIn.ok) signInProblem.value = signedIn.failure;
  }
  await readSession();
  while (session.peek() === undefined) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    await readSession();
  }
}

const RETRY_MS = 2_000;

/** Why the link in the address did not sign in. */
export const signInProblem = signal<Problem | undefined>(undefined);

export function signIn(request: object): Promise<Outcome<unknown, Problem>> {
  return post("/api/sign-in", request, (body, isOk) =>
    isOk ? ok(body) : failed(problemOf(errorIn(body), words.problems.unexpected)),
  );
}

/** Opens the dashboard of another account, signed in as here. */
export async function switchAccount(name: string): Promise<Outcome<unknown, Problem>> {
  const given = await post(`/api/accounts/${name}`, {}, (body, isOk) => {
    const address = isOk && typeof body === "object" && body !== null && "address" in body && body.address;
    return typeof address === "string" ? ok(address) : failed(words.problems.unexpected);
  });
  if (given.ok) location.assign(given.value);
  return given;
}

export async function signOut(): Promise<void> {
  await post("/api/sign-out", {}, () => ok(undefined));
  await readSession();
}

let reading: Promise<void> | undefined;
let isStale = false;

/** One request at a time, so an older answer cannot replace a newer one. */
export function readSession(): Promise<void> {
  isStale = true;
  reading ??= (async () => {
    while (isStale) {
      isStale = false;
      await readSessionOnce();
    }
  })().finally(() => {
    reading = undefined;
  });
  return reading;
}

async function readSessionOnce(): Promise<void> {
  const answer = await send("/api/session", { method: "GET" });
  if (answer === undefined || !answer.ok) return;
  // The shape declared by the server.
  const found = (await answer.json()) as SessionAnswer;
  if (found.signed_in) {
    serverTimeIs(Date.parse(found.now), found.speed);
    showTimesIn(found.timezone);
  }
  session.value = found;
}

async function post<Value>(
  path: string,
  args: object,
  read: (body: unknown, isOk: boolean) => Outcome<Value, Problem>,
  signal: AbortSignal | null = null,
): Promise<Outcome<Value, Problem>> {
  const body = args instanceof File ? args : JSON.stringify(args);
  // Browsers let a few small requests go on when the page is closed.
  const keepalive = typeof body === "string" && body.length < 4_000;
  const answer = await send(path, { method: "POST", body, signal, keepalive });
  if (answer === undefined) return failed(words.problems.unreachable);
  try {
    const body: unknown = await answer.json();
    if (answer.status === 401 && session.peek()?.signed_in === true) await readSession();
    const isEnvelope = typeof body === "object" && body !== null && "success" in body;
    if (!answer.ok && !isEnvelope) return failed(problemOf(errorIn(body), words.problems.unexpected));
    return read(body, answer.ok);
  } catch {
    return failed({ ...words.problems.unexpected, code: `http_${answer.status}` });
  }
}

/** Undefined where the server does not answer. */
async function send(path: string, request: RequestInit): Promise<Response | undefined> {
  const known = session.peek();
  try {
    return await fetch(`${base}${path}`, {
      ...request,
      credentials: "same-origin",
      headers: {
        ...(request.body !== undefined && {
          "content-type": request.body instanceof File ? "application/octet-stream" : "application/json",
        }),
        ...(known?.signed_in && { "x-tuitbot-csrf": known.csrf_token }),
      },
    });
  } catch {
    return undefined;
  }
}
