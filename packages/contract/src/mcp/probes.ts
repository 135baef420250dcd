import { checkToken } from "./http-gate.ts";

/** What operators and proxies may ask of a server, beside its clients. */
export interface ProbeOptions {
  /** What keeps the product from working, such as a database that cannot be reached; undefined where nothing does. */
  readonly notReady?: () => Promise<string | undefined>;
  /** The figures of the product, in Prometheus's text format. Without them there is no `/metrics`. */
  readonly metrics?: () => Promise<string>;
  /** Shown by whoever reads `/metrics`, in place of the token of the clients. */
  readonly metricsToken?: string;
}

/** Whether a request is for one of the probes, by its path and query. */
export function isProbe(url = ""): boolean {
  return /^\/(healthz|readyz|metrics)(\?|$)/.test(url);
}

/**
 * `/healthz`: the process answers. `/readyz`: it also wants requests. `/metrics`: its figures. Proxies check the first
 * two without a token and under any name, so that they say no more than this.
 */
export class Probes {
  private readonly options: ProbeOptions;
  private readonly token: string | undefined;
  private readonly now: () => number;
  private askedAt = Number.NEGATIVE_INFINITY;
  private answer: Promise<string | undefined> = Promise.resolve(undefined);
  private answerAt = Number.NEGATIVE_INFINITY;
  /** Set when the server is about to end. */
  isDraining = false;

  constructor(options: ProbeOptions, token: string | undefined, now: () => number = Date.now) {
    this.options = options;
    this.token = options.metricsToken ?? token;
    this.now = now;
  }

  /** Whether a proxy has asked lately: one that does needs time to notice that the server is about to end. */
  get areAsked(): boolean {
    return this.now() - this.askedAt < ASKED_LATELY_MS;
  }

  /** The answer to a probe; undefined for any other request. */
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

  /** Anybody may ask as often as they like, and the product is asked once a second. */
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
