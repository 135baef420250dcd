import { checkToken } from "./http-gate.ts";

export interface ProbeOptions {
  /** Why the product cannot work, such as an unreachable database. */
  readonly notReady?: () => Promise<string | undefined>;
  /** Metrics as Prometheus text. Without it there is no `/metrics`. */
  readonly metrics?: () => Promise<string>;
  /** For `/metrics`, if it differs from the clients' token. */
  readonly metricsToken?: string;
}

export function isProbe(url = ""): boolean {
  return /^\/(healthz|readyz|metrics)(\?|$)/.test(url);
}

/** Health checks work under any host name; metrics are protected against DNS rebinding. */
export function isMetrics({ url }: Request): boolean {
  return new URL(url).pathname === "/metrics";
}

/** `/healthz` and `/readyz` work without a token under any host name, so they reveal nothing else. */
export class Probes {
  private readonly options: ProbeOptions;
  private readonly token: string | undefined;
  private readonly now: () => number;
  private askedAt = Number.NEGATIVE_INFINITY;
  private answer: Promise<string | undefined> = Promise.resolve(undefined);
  private answerAt = Number.NEGATIVE_INFINITY;
  isDraining = false;

  constructor(options: ProbeOptions, token: string | undefined, now: () => number = Date.now) {
    this.options = options;
    this.token = options.metricsToken ?? token;
    this.now = now;
  }

  /** True if a proxy checked recently and needs time to notice a shutdown. */
  get areAsked(): boolean {
    return this.now() - this.askedAt < ASKED_LATELY_MS;
  }

  async respond({ method, url, headers }: Request): Promise<Response | undefined> {
    if (method !== "GET" && method !== "HEAD") return undefined;
    switch (new URL(url).pathname) {
      case "/healthz":
        return text(200, "ok");
      case "/readyz":
        return this.ready();
      case "/metrics": {
        if (this.options.metrics === undefined) return undefined;
        const refused = this.token === undefined ? undefined : checkToken(headers, this.token);
        return refused ?? text(200, await this.options.metrics(), "text/plain; version=0.0.4; charset=utf-8");
      }
      default:
        return undefined;
    }
  }

  private async ready(): Promise<Response> {
    this.askedAt = this.now();
    if (this.isDraining) return text(503, "shutting down");
    const problem = await this.problem();
    return problem === undefined ? text(200, "ready") : text(503, problem);
  }

  /** Checks the product at most once a second. */
  private problem(): Promise<string | undefined> {
    if (this.askedAt - this.answerAt >= REMEMBERED_MS) {
      this.answerAt = this.askedAt;
      this.answer = this.options.notReady?.() ?? Promise.resolve(undefined);
    }
    return this.answer;
  }
}

const ASKED_LATELY_MS = 60_000;
const REMEMBERED_MS = 1_000;

function text(status: number, body: string, type = "text/plain; charset=utf-8"): Response {
  return new Response(`${body.trimEnd()}\n`, {
    status,
    headers: { "content-type": type, "cache-control": "no-store" },
  });
}
