/** Hosts of X that a raw request may go to. The sign-in goes with it, so there is no way to name another. */
export const xHosts = ["api.x.com", "upload.x.com", "upload.twitter.com", "ads-api.x.com"] as const;

export type XHost = (typeof xHosts)[number];

interface Target {
  readonly host: string;
  readonly path: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** Why a raw request must not be sent, or undefined. */
export function refusedRequest({ host, path, headers }: Target): string | undefined {
  if (!xHosts.some((known) => known === host)) return `The host must be one of ${xHosts.join(", ")}.`;
  return refusedPath(path) ?? refusedHeader(headers.map(({ key }) => key));
}

function refusedPath(path: string): string | undefined {
  if (!path.startsWith("/") || path.startsWith("//")) return "The path must begin with one slash.";
  if (/[?#]/.test(path)) return "The path must not hold ? or #: put parameters into `query`.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(path))
    return "The path must not hold spaces, backslashes or control characters.";
  if (hasDotSegment(path)) return "The path must not hold `.` or `..`.";
  return undefined;
}

/** Also where the dots are written as %2e, which URLs take for dots. */
function hasDotSegment(path: string): boolean {
  return path
    .replace(/%2e/gi, ".")
    .replace(/%2f|%5c/gi, "/")
    .split("/")
    .some((segment) => segment === "." || segment === "..");
}

/** Headers that would change who asks, whom, or how the message is framed. */
const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "cookie",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function refusedHeader(names: readonly string[]): string | undefined {
  const bad = names.find((name) => FORBIDDEN_HEADERS.has(name.toLowerCase()));
  if (bad !== undefined) return `The header ${bad.toLowerCase()} cannot be set.`;
  return names.every((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name))
    ? undefined
    : "A header has a name that is not one.";
}
