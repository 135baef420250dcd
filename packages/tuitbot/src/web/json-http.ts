import { isUtf8 } from "node:buffer";
import type { Failure, JsonObject } from "@toolpact/contract";
import { isJsonObject, parseJson } from "@toolpact/contract/internal";
import type { HttpExtension } from "@toolpact/contract/internal/cli";

/** The body of every answer with a status of 400 or more. */
export interface Refused {
  readonly error: {
    /**
     * `signed_out` (401), `wrong_role`, `wrong_csrf_token`, `wrong_origin`, `wrong_host` (403), `not_found` (404),
     * `refused` (409: the command could not be carried out; `failure` has the reason), `too_many_tries` (429),
     * `bad_request` (400, 413, 415), `unavailable` (503), `internal` (500).
     */
    readonly code: string;
    readonly message: string;
    readonly fix?: string;
    /** One of tuitbot's error codes, with its reason. */
    readonly failure?: { readonly code: string; readonly reason?: string; readonly details?: JsonObject };
  };
}

/** Ends a request. It is thrown, because every step of a request can end it. */
export class Refusal extends Error {
  readonly #status: number;
  readonly #error: Refused["error"];

  constructor(
    status: number,
    code: string,
    message: string,
    more: Omit<Refused["error"], "code" | "message"> = {},
  ) {
    super(message);
    this.#status = status;
    this.#error = { code, message, ...more };
  }

  /** A failure of a tool or command. */
  static of(status: number, code: string, failure: Failure): Refusal {
    const { message, suggestedFix, reason, details } = failure;
    return new Refusal(status, code, message, {
      ...(suggestedFix !== undefined && { fix: suggestedFix }),
      failure: {
        code: failure.code,
        ...(reason !== undefined && { reason }),
        ...(details !== undefined && { details }),
      },
    });
  }

  response(): Response {
    return answerJson({ error: this.#error } satisfies Refused, this.#status);
  }
}

export function answerJson(value: unknown, status = 200): Response {
  return Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

/** Files and texts are stored by tools; what a page sends is small. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The body of a request as a JSON object. */
export async function readJson(
  request: Request,
  readBody: Parameters<HttpExtension["answer"]>[1],
  most = MAX_BODY_BYTES,
): Promise<JsonObject> {
  // Forms and plain text can be sent by any page without being asked first.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw new Refusal(415, "bad_request", "Send the arguments as application/json.");
  const tooLong = Number(request.headers.get("content-length") ?? 0) > most;
  const bytes = tooLong ? undefined : await readBody(most);
  if (bytes === undefined) throw new Refusal(413, "bad_request", `The request is larger than ${most} bytes.`);
  if (!isUtf8(bytes)) throw new Refusal(400, "bad_request", "The request is not UTF-8.");
  const value = parseJson(Buffer.from(bytes).toString("utf8"));
  if (!isJsonObject(value)) throw new Refusal(400, "bad_request", "The request is not a JSON object.");
  return value;
}
