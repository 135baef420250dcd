/**
 * The types of the dashboard's API, for the dashboard to import. They are inferred from the server; nothing here is
 * code. See README.md for the routes.
 */
import type { Commands } from "./commands.ts";
import type { SignedIn, SignedOut } from "./site.ts";

export type { JsonObject } from "@toolpact/contract";
export type { EventData, EventKind } from "../app/changes.ts";
export type { SeenItem } from "../app/passkey-approval.ts";
export type { Passkey, Signature as PasskeySignature } from "../app/sign-in/passkeys.ts";
export type { Role } from "../app/sign-in/roles.ts";
export type { UnsavedText } from "../app/unsaved-texts.ts";
export type { ShownFile } from "../approval/shown-files.ts";
export type { StoredFile } from "../x/toolkit/media-store.ts";
export type { Commands } from "./commands.ts";
export type { Refused } from "./json-http.ts";
export type { SetupLine, SetupQuestion, SetupState } from "./setup-conversation.ts";
export type { SignedIn, SignedOut } from "./site.ts";

/** The answers of `GET /api/session`. */
export type SessionAnswer = SignedIn | SignedOut;

export type CommandName = keyof Commands;

/** The arguments of a command. The request may be left out if it has no required fields. */
export type CommandArgs<Name extends CommandName> =
  Record<never, never> extends Commands[Name]["request"]
    ? [request?: Commands[Name]["request"], signal?: AbortSignal]
    : [request: Commands[Name]["request"], signal?: AbortSignal];

export type Answer<Name extends CommandName> = Commands[Name]["answer"];

export type PendingItem = Answer<"pending">["items"][number];
