import { senderBehindProxy } from "@toolpact/contract/internal/cli";
import { Refusal } from "./json-http.ts";

/** How browsers of other machines reach the page. */
export interface PublicPlace {
  /** The address in the browser, such as `https://bot.example`. */
  readonly origin: string;
  /** True if a proxy is in front of the server and names the client of each request. */
  readonly isBehindProxy: boolean;
}

/**
 * MCP goes by any name, because its token is secret. A page does not: somebody else's name that leads to this machine
 * would make it theirs.
 */
export function isOwnName(request: Request, place: PublicPlace | undefined): boolean {
  return (
    isLocalName(request) || (place !== undefined && new URL(request.url).host === new URL(place.origin).host)
  );
}

/**
 * True if the request is from a browser on this machine, by the address of its connection. A proxy on this machine
 * also connects from here; it names the client, or calls the server by its public name.
 */
export function isLocal(request: Request, address: string, place: PublicPlace | undefined): boolean {
  const { headers } = request;
  const isForwarded = headers.has("x-forwarded-for") || headers.has("forwarded");
  return (
    isLoopbackAddress(address) &&
    isLocalName(request) &&
    !isForwarded &&
    (place === undefined || headers.get("origin") !== place.origin)
  );
}

function isLoopbackAddress(address: string): boolean {
  return /^(::ffff:)?127(\.\d+){3}$|^::1$/i.test(address);
}

function isLocalName({ url }: Request): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** Pages that may call MCP may not call this, not even of the same machine: another port is another program. */
export function requireOwnPage(request: Request, place: PublicPlace | undefined): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const isOwn =
    origin === null ||
    origin === place?.origin ||
    (isLocalName(request) && origin === new URL(request.url).origin);
  if (isOwn && (site === null || site === "same-origin" || site === "none")) return;
  throw new Refusal(403, "wrong_origin", "Only the page of this server may call this.");
}

/** The origin of the page that calls: its own word, which was checked, or for programs the address that they use. */
export function pageOrigin(request: Request, address: string, place: PublicPlace | undefined): string {
  const { origin } = new URL(request.url);
  const isHere = isLocal(request, address, place);
  return request.headers.get("origin") ?? (isHere ? origin : (place?.origin ?? origin));
}

/** The address that a request came from. */
export function senderOf({ headers }: Request, address: string, place: PublicPlace | undefined): string {
  return place?.isBehindProxy === true ? senderBehindProxy(headers, address) : address;
}
