import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPrivate } from "./public-host.ts";

/**
 * Fetches from the internet only. Addresses are checked on connecting, so a host cannot move into the local
 * network meanwhile. Redirects are not followed.
 */
export function publicFetch(isRefused: (address: string) => boolean = isPrivate): typeof globalThis.fetch {
  const checked: LookupFunction = (host, options, done) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      if (addresses.some(({ address }) => isRefused(address))) return done(refused(host), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  return async (input, { headers, signal } = {}) => {
    const url = new URL(String(input));
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // An IP address needs no lookup.
    if (isIP(host) !== 0 && isRefused(host)) throw refused(host);
    const { request } = await import("node:https");
    return new Promise((resolve, reject) => {
      const options = { headers: Object.fromEntries(new Headers(headers)), lookup: checked, agent: false };
      const sent = request(url, { ...options, ...(signal && { signal }) }, (incoming) => {
        const { statusCode: status = 502 } = incoming;
        if (status !== 200) incoming.destroy();
        // Node's byte stream is the web's, with another type.
        const body = status === 200 ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
        const known = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        resolve(new Response(body, { status, headers: Object.fromEntries(known) }));
      });
      sent.once("error", reject).end();
    });
  };
}

function refused(host: string): Error {
  return new Error(`${host} is not on the internet.`);
}
