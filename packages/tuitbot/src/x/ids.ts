import { failed, type Outcome, ok } from "@toolpact/contract";
import * as z from "zod";
import { MAX_ID, MAX_IDS } from "./text-limits.ts";

/** Accepts X's id, an address of x.com, or an @name with or without @. Anything uncertain is rejected. */
type Reading = (text: string) => Outcome<string, string>;

/** An id or address. */
export const postId = read(readPostId);

/** Id, @name, address, or `me`. `idOfPerson` turns it into an id. */
export const person = read(readPerson);

export const personId = read(readPersonId);

/** Without the @. */
export const handle = read(readHandle);

export const listId = read(readListId);

export const spaceId = read(readSpaceId);

export const conversationId = read(readConversationId);

export const mediaId = read(readMediaId);

export const jobId = read(readJobId);

export const postIds = commaSeparated(readPostId);
export const personIds = commaSeparated(readPersonId);
export const handles = commaSeparated(readHandle);
export const spaceIds = commaSeparated(readSpaceId);
export const mediaIds = commaSeparated(readMediaId);
export const ruleIds = commaSeparated(readRuleId);

const ID = /^[1-9]\d{0,18}$/;
const HANDLE = /^\w{1,15}$/;

function readPostId(text: string): Outcome<string, string> {
  if (ID.test(text)) return ok(text);
  const path = pathOnX(text);
  const at = path?.findIndex((word) => word === "status" || word === "statuses") ?? -1;
  const id = at < 0 ? undefined : path?.[at + 1];
  return id !== undefined && ID.test(id)
    ? ok(id)
    : failed("is not a post: send its id (digits), or its address, https://x.com/<name>/status/<id>");
}

function readPerson(text: string): Outcome<string, string> {
  if (ID.test(text) || text === "me") return ok(text);
  const name = readHandle(text);
  return name.ok
    ? ok(`@${name.value}`)
    : failed("is not a person: send an id (digits), an @name, or `me` for the signed-in account");
}

function readPersonId(text: string): Outcome<string, string> {
  return ID.test(text) ? ok(text) : failed("is not the id of a person: send digits, not a name");
}

function readHandle(text: string): Outcome<string, string> {
  const bare = text.startsWith("@") ? text.slice(1) : text;
  if (HANDLE.test(bare)) return ok(bare);
  const [name, ...rest] = pathOnX(text) ?? [];
  return name !== undefined && rest.length === 0 && HANDLE.test(name) && !PAGES.has(name)
    ? ok(name)
    : failed("is not a name on X: send 1 to 15 letters, digits and _, with or without @");
}

function readListId(text: string): Outcome<string, string> {
  const id = idAfter(text, "lists");
  return ID.test(id)
    ? ok(id)
    : failed("is not a list: send its id (digits), or its address, https://x.com/i/lists/<id>");
}

function readSpaceId(text: string): Outcome<string, string> {
  const id = idAfter(text, "spaces");
  return /^[A-Za-z0-9]{1,13}$/.test(id)
    ? ok(id)
    : failed("is not a Space: send its id, or its address, https://x.com/i/spaces/<id>");
}

function readConversationId(text: string): Outcome<string, string> {
  const id = idAfter(text, "messages");
  return /^(\d{1,19}-\d{1,19}|\d{15,19})$/.test(id)
    ? ok(id)
    : failed("is not a conversation: send its id as x_v2_dm_events shows it");
}

function readMediaId(text: string): Outcome<string, string> {
  return ID.test(text) ? ok(text) : failed("is not the id of media: send what x_upload_media answered");
}

function readJobId(text: string): Outcome<string, string> {
  return ID.test(text) ? ok(text) : failed("is not the id of a compliance job: send digits");
}

function readRuleId(text: string): Outcome<string, string> {
  return ID.test(text) ? ok(text) : failed("is not the id of a stream rule: send digits");
}

/** Pages of x.com, which are no names. */
const PAGES: ReadonlySet<string> = new Set([
  "i",
  "home",
  "explore",
  "search",
  "settings",
  "messages",
  "notifications",
]);

/** Undefined for other texts. */
function pathOnX(text: string): readonly string[] | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!text.includes("/") || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  if (!/^(www\.|mobile\.)?(x|twitter)\.com$/.test(hostname)) return undefined;
  return pathname.split("/").filter((word) => word !== "");
}

function idAfter(text: string, word: string): string {
  const path = pathOnX(text);
  const at = path?.indexOf(word) ?? -1;
  return at < 0 ? text : (path?.[at + 1] ?? "");
}

/** Text on the wire. */
function read(reading: Reading) {
  return z.preprocess(
    textOf,
    idText(MAX_ID).transform((text, context) => {
      const found = reading(text.trim());
      if (found.ok) return found.value;
      context.addIssue({ code: "custom", message: found.failure });
      return z.NEVER;
    }),
  );
}

/** In one text, or as a list. */
function commaSeparated(reading: Reading) {
  return z.preprocess(
    (value) => (Array.isArray(value) ? value.join(",") : textOf(value)),
    idText(MAX_IDS).transform((text, context) => {
      const parts = text.split(",").map((part) => part.trim());
      const found = parts.filter((part) => part !== "").map(reading);
      const bad = found.find((one) => !one.ok);
      const complaint = bad?.ok === false ? `holds something that ${bad.failure}` : undefined;
      if (found.length === 0 || complaint !== undefined) {
        context.addIssue({ code: "custom", message: complaint ?? "is empty" });
        return z.NEVER;
      }
      return [...new Set(found.flatMap((one) => (one.ok ? [one.value] : [])))];
    }),
  );
}

/** JSON carries only short numbers exactly. */
function textOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

function idText(maxLength: number) {
  return z
    .string({
      error: ({ input }) =>
        typeof input === "number" ? "must be text: a number this long loses digits" : undefined,
    })
    .max(maxLength);
}
