import type { ReadableStream } from "node:stream/web";
import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { Role } from "../app/sign-in/roles.ts";
import type { SessionPlace, Visitor } from "../app/sign-in/sessions.ts";
import type { Config } from "../config/schema.ts";
import type { stopView } from "../guards/stop/stop.ts";

/** What is behind the page: one account, its tools and its commands. */
export interface WebApp {
  readonly place: Omit<SessionPlace, "now">;
  readonly about: () => Promise<ServerInfo>;
  /** Undefined where there is none of this name. */
  readonly tool: (name: string) => Callable | undefined;
  readonly command: (name: string) => Callable | undefined;
  readonly media: MediaFiles;
}

/** What a session shows about the server. */
export interface ServerInfo {
  readonly account: { readonly id: string; readonly username: string | null; readonly name: string | null };
  readonly is_sandbox: boolean;
  /** The server's time: the sandbox's clock may run faster than the browser's. */
  readonly now: string;
  /** How many times as fast as real time the clock runs. */
  readonly speed: number;
  readonly timezone: string;
  readonly mode: Config["mode"];
  readonly approval_mode: boolean;
  readonly version: string;
  readonly stop: ReturnType<typeof stopView> | null;
  /** Given to `GET /api/events`, it makes the stream begin with the changes since this answer. */
  readonly last_event_id: string;
}

/** A file in one of `media.roots`. `file_path` goes into the media of a draft. */
export interface StoredFile {
  readonly file_path: string;
  readonly media_type: string;
  readonly file_size_bytes: number;
}

/** The files of posts. */
export interface MediaFiles {
  readonly store: (bytes: Uint8Array) => Promise<Outcome<StoredFile, Failure>>;
  readonly open: (
    path: string,
  ) => Promise<
    Outcome<Omit<StoredFile, "file_path"> & { readonly content: ReadableStream<Uint8Array> }, Failure>
  >;
}

export interface CallVisitor extends Visitor {
  /** Of the page, as the browser knows it. */
  readonly origin: string;
  /** By the clock of this machine. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A tool or a command, as somebody at the page calls it. */
export interface Callable {
  /** The role that it takes with these arguments. */
  readonly role: (args: JsonObject) => Role;
  /** The answer as JSON. Throws a `Refusal` where it is refused. */
  readonly run: (args: JsonObject, visitor: CallVisitor) => Promise<unknown>;
}
