import { type Outcome, ok } from "@toolpact/outcome";
import { sameDigest } from "../guards/internal.ts";
import { isLoopback } from "../mcp/http-gate.ts";
import type { ConsentDecision, ConsentRequest, Decided } from "./consent.ts";
import type { Keyed } from "./keyed.ts";
import { escapeHtml, htmlPage, pageHeaders } from "./pages.ts";

/** The library's page: the user enters a passphrase and grants some of the scopes. */
interface ConsentPageSetting {
  readonly title: string;
  readonly keyed: Keyed;
  readonly person: (passphrase: string) => Promise<string | undefined>;
  readonly form: ConsentForm | undefined;
  readonly pending: (request: Request, id: string) => Promise<ConsentRequest | undefined>;
  readonly decide: (request: Request, id: string, decision: ConsentDecision) => Promise<Decided | undefined>;
  readonly now: () => number;
}

/** An app's own questions, in place of the scopes. */
export interface ConsentForm {
  /** HTML fields, with the values of a form sent before. */
  readonly fields: (waiting: ConsentRequest, sent: URLSearchParams | undefined) => Promise<string>;
  /** The permissions, or what is wrong with the form. */
  readonly read: (waiting: ConsentRequest, sent: URLSearchParams) => Promise<Outcome<Permitted, string>>;
}

interface Permitted {
  readonly scopes: readonly string[];
  /** Called before the client gets its code. */
  readonly save: (grantId: string) => Promise<void>;
}

const MINUTE_MS = 60_000;
const MAX_TRIES = 5;
const MAX_TRIES_IN_ALL = 20;

export function consentPage(setting: ConsentPageSetting) {
  const { pending, decide, person, now, form: questions = scopesForm } = setting;
  let tries: { readonly at: number; readonly address: string }[] = [];
  const formToken = (id: string) => setting.keyed(`form ${id}`);
  const mayTry = (address: string) => {
    tries = tries.filter(({ at }) => now() - at < MINUTE_MS);
    return (
      tries.length < MAX_TRIES_IN_ALL && tries.filter((one) => one.address === address).length < MAX_TRIES
    );
  };

  async function show(
    waiting: ConsentRequest,
    sent?: URLSearchParams,
    flaw = "",
    status = 200,
  ): Promise<Response> {
    const { client } = waiting;
    const target = client.host.endsWith("//") ? client.host.slice(0, -2) : `https://${client.host}`;
    const sources = isLoopback(client.host.replace(/:\d+$/, "")) ? `http://${client.host}` : target;
    return page(
      "Connect a client",
      `<h1>Connect ${escapeHtml(client.name)} to ${escapeHtml(setting.title)}?</h1>
<dl><dt>Name</dt><dd>${escapeHtml(client.name)}, ${verification(client)}</dd>
<dt>Sends you to</dt><dd>${escapeHtml(client.host)}${client.isOnDevice ? " (a program on this device)" : ""}</dd></dl>
<p class="warning">Continue only if you started this in the client yourself.</p>
${flaw === "" ? "" : `<p role="alert"><strong>${escapeHtml(flaw)}</strong></p>`}
<form method="post"><input type="hidden" name="request" value="${escapeHtml(waiting.id)}"><input type="hidden" name="token" value="${await formToken(waiting.id)}">
${await questions.fields(waiting, sent)}
<label>Passphrase of the server <input type="password" name="passphrase" autocomplete="current-password"></label>
<button name="decision" value="approve">Connect</button><button name="decision" value="deny">Cancel</button></form>`,
      { status, formAction: `'self' ${sources}` },
    );
  }

  return async (request: Request, readForm: () => Promise<URLSearchParams>, address: string) => {
    const form = request.method === "POST" ? await readForm() : undefined;
    const id = (form ?? new URL(request.url).searchParams).get("request") ?? "";
    const waiting = await pending(request, id);
    if (waiting === undefined) return expired();
    if (form === undefined) return show(waiting);
    if (!sameDigest(form.get("token") ?? "", await formToken(id))) return expired();
    if (form.get("decision") !== "approve") return back(await decide(request, id, { approve: false }));
    if (!mayTry(address))
      return show(waiting, form, "There were too many wrong passphrases. Wait a minute.", 429);
    tries.push({ at: now(), address });
    const subject = await person(form.get("passphrase") ?? "");
    if (subject === undefined) return show(waiting, form, "The passphrase is wrong.", 403);
    tries = tries.filter((one) => one.address !== address);
    const permitted = await questions.read(waiting, form);
    if (!permitted.ok) return show(waiting, form, permitted.failure, 400);
    const { scopes, save } = permitted.value;
    const decided = await decide(request, id, { approve: true, subject, scopes });
    if (decided?.grantId !== undefined) await save(decided.grantId);
    return back(decided);
  };
}

function back(decided: Decided | undefined): Response {
  if (decided === undefined) return expired();
  return new Response(null, {
    status: 303,
    headers: { location: decided.location, "cache-control": "no-store" },
  });
}

const scopesForm: ConsentForm = {
  fields: async ({ scopes }) => scopeBoxes(scopes),
  read: async (_waiting, sent) => ok({ scopes: sent.getAll("scope"), save: async () => {} }),
};

function scopeBoxes(scopes: readonly string[]): string {
  if (scopes.length === 0) return "";
  const boxes = scopes
    .map(escapeHtml)
    .map((scope) => `<label><input type="checkbox" name="scope" value="${scope}" checked> ${scope}</label>`);
  return `<fieldset><legend>It may also</legend>${boxes.join("")}</fieldset>`;
}

function verification({ verifiedBy }: ConsentRequest["client"]): string {
  return verifiedBy === undefined
    ? "not verified: anyone can use this name"
    : `published by ${escapeHtml(verifiedBy)}`;
}

function expired(): Response {
  return page(
    "Sign-in expired",
    "<h1>This sign-in has expired</h1><p>It was started in another browser, was decided already, or took too long. Connect again in your client.</p>",
    { status: 400, formAction: "'none'" },
  );
}

function page(
  title: string,
  body: string,
  { status, formAction }: { readonly status: number; readonly formAction: string },
): Response {
  return new Response(htmlPage(title, body), {
    status,
    headers: { "content-type": "text/html; charset=utf-8", ...pageHeaders(formAction) },
  });
}
