import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** As X does: a refresh token works once, an access token until the next refresh. */
export class FakeTokenEndpoint {
  readonly requests: {
    readonly path: string;
    readonly form: URLSearchParams;
    readonly authorization: string | null;
  }[] = [];
  refreshToken: string;
  accessToken: string;
  refreshes = 0;
  reuses = 0;
  isRevoked = false;
  expiresInSeconds = 7200;
  /** For the next requests; then `done`. */
  readonly faults: Fault[] = [];
  readonly #now: () => number;
  #expiresAt: number;
  #next = 1;

  constructor(now: () => number = () => 0) {
    this.#now = now;
    this.accessToken = this.#fresh("access");
    this.refreshToken = this.#fresh("refresh");
    this.#expiresAt = now() + this.expiresInSeconds * 1000;
  }

  accepts(token: string): boolean {
    return token === this.accessToken && this.#now() < this.#expiresAt && !this.isRevoked;
  }

  answer(
    path: string,
    form: URLSearchParams,
    authorization: string | null,
  ): { status: number; body: object } | "drop" {
    this.requests.push({ path, form, authorization });
    const fault = this.faults.shift() ?? "done";
    if (fault === "drop before") return "drop";
    if (fault === "server error") return { status: 503, body: { errors: ["over capacity"] } };
    const answer = path.endsWith("/revoke") ? this.#revoke() : this.#token(form);
    return fault === "drop after" ? "drop" : answer;
  }

  #token(form: URLSearchParams): { status: number; body: object } {
    if (form.get("grant_type") === "authorization_code") {
      return form.get("code") === "good-code" ? this.#issue() : invalidRequest;
    }
    if (this.isRevoked || form.get("refresh_token") !== this.refreshToken) {
      this.reuses++;
      return invalidRequest;
    }
    this.refreshes++;
    return this.#issue();
  }

  #issue(): { status: number; body: object } {
    this.accessToken = this.#fresh("access");
    this.refreshToken = this.#fresh("refresh");
    this.#expiresAt = this.#now() + this.expiresInSeconds * 1000;
    return {
      status: 200,
      body: {
        token_type: "bearer",
        access_token: this.accessToken,
        refresh_token: this.refreshToken,
        expires_in: this.expiresInSeconds,
        scope: "offline.access tweet.read",
      },
    };
  }

  #revoke(): { status: number; body: object } {
    this.isRevoked = true;
    return { status: 200, body: { revoked: true } };
  }

  #fresh(kind: string): string {
    return `${kind}-${this.#next++}`;
  }
}

export type Fault = "done" | "drop before" | "drop after" | "server error";

const invalidRequest = {
  status: 400,
  body: { error: "invalid_request", error_description: "Value passed for the token was invalid." },
};

export function fetchFrom(endpoint: FakeTokenEndpoint): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = endpoint.answer(
      new URL(String(input)).pathname,
      new URLSearchParams(String(init?.body)),
      new Headers(init?.headers).get("authorization"),
    );
    if (answer === "drop") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    return Response.json(answer.body, { status: answer.status });
  };
}

export async function serveTokenEndpoint(
  endpoint: FakeTokenEndpoint,
): Promise<{ readonly baseUrl: string } & AsyncDisposable> {
  const server = createServer((request, response) => void take(endpoint, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function take(
  endpoint: FakeTokenEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await request.setEncoding("utf8").toArray()).join("");
  const answer = endpoint.answer(
    request.url ?? "",
    new URLSearchParams(body),
    request.headers.authorization ?? null,
  );
  if (answer === "drop") return void request.socket.destroy();
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}
