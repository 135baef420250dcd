import { xHosts } from "@toolpact/x-api";

interface Target {
  readonly host: string;
  readonly path: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** Why a raw request must not be sent, or undefined. */
export function refusedRequest({ host, path, headers }: Target): string | undefined {
  if (!xHosts.some((known) => known === host)) return `The host must be one of ${xHosts.join(", ")}.`;
  return refusedPath(path) ?? refusedHeader(headers);
}

/** Only paths that can be read in one way pass, so that what is checked is what X is asked for. */
function refusedPath(path: string): string | undefined {
  if (/[?#]/.test(path)) return "The path must not hold ? or #: put parameters into `query`.";
  if (!/^(\/[\w.,:@~-]+)+$/.test(path))
    return "The path must be words of letters, digits and _-.,:@~ with one slash before each.";
  return path.split("/").some((word) => word === "." || word === "..")
    ? "The path must not hold `.` or `..`."
    : undefined;
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

function refusedHeader(headers: Target["headers"]): string | undefined {
  const bad = headers.find(({ key }) => FORBIDDEN_HEADERS.has(key.toLowerCase()));
  if (bad !== undefined) return `The header ${bad.key.toLowerCase()} cannot be set.`;
  const isSound = ({ key, value }: Target["headers"][number]) =>
    /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(key) && /^[\x20-\x7e]*$/.test(value);
  return headers.every(isSound) ? undefined : "A header has a name or a value that is none.";
}
