import { Sandbox, type SandboxOptions } from "../src/index.ts";

/** Read by path, such as `heard.at("data", 0, "id")`. */
export class Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;

  constructor(response: Response, text: string) {
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
    this.body = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined;
  }

  at(...path: readonly (string | number)[]): unknown {
    return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), this.body);
  }

  word(...path: readonly (string | number)[]): string {
    const found = this.at(...path);
    if (typeof found !== "string") throw new Error(`There is no text at ${path.join(".")} of ${this.text}`);
    return found;
  }

  get ids(): string[] {
    const data = this.at("data");
    return Array.isArray(data) ? data.map((_, i) => this.word("data", i, "id")) : [];
  }
}

function isRecord(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === "object" && value !== null;
}

export class Caller {
  readonly sandbox: Sandbox;
  readonly #token: string;

  constructor(sandbox: Sandbox, token: string) {
    this.sandbox = sandbox;
    this.#token = token;
  }

  get(path: string): Promise<Heard> {
    return this.send("GET", path);
  }

  post(path: string, body?: unknown): Promise<Heard> {
    return this.send("POST", path, body);
  }

  put(path: string, body?: unknown): Promise<Heard> {
    return this.send("PUT", path, body);
  }

  delete(path: string): Promise<Heard> {
    return this.send("DELETE", path);
  }

  async send(method: string, path: string, body?: unknown): Promise<Heard> {
    const isForm = body instanceof FormData;
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined && !isForm) headers["content-type"] = "application/json";
    const response = await this.sandbox.fetch(`https://api.x.com${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    return hear(response);
  }
}

export async function hear(response: Response): Promise<Heard> {
  return new Heard(response, await response.text());
}

/** Signed in to a small world. */
export function owner(options: SandboxOptions = {}): Caller {
  const sandbox = new Sandbox({ seed: 7, size: { people: 40, posts: 300 }, ...options });
  return new Caller(sandbox, sandbox.signIn().accessToken);
}

export function as(sandbox: Sandbox, user: string, scopes?: readonly string[]): Caller {
  return new Caller(sandbox, sandbox.signIn({ user, ...(scopes !== undefined && { scopes }) }).accessToken);
}

export function app(sandbox: Sandbox): Caller {
  return new Caller(sandbox, sandbox.app.bearerToken);
}
