import type { ReadableStream } from "node:stream/web";
import type { Failure, JsonObject, Outcome } from "@toolpact/contract";
import type { Role, SignedIn, StoredFile } from "./api.ts";
import type { SessionPlace, Visitor } from "./sign-in.ts";

/** What is behind the page: one account, its tools and its commands. */
export interface WebApp {
  readonly place: Omit<SessionPlace, "now">;
  /** What a session says about the server. */
  readonly about: () => Promise<
    Omit<SignedIn, "signed_in" | "person" | "role" | "expires_at" | "csrf_token">
  >;
  /** Undefined where there is none of this name. */
  readonly tool: (name: string) => Callable | undefined;
  readonly command: (name: string) => Callable | undefined;
  readonly media: MediaFiles;
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
