import { extname, join } from "node:path";
import { storedFile, unpacked } from "../page-files.ts";

/** The files of the page. */
export interface Assets {
  /** Undefined where there is no such file. */
  readonly answer: (path: string, acceptsEncoding: string) => Promise<Response | undefined>;
}

/** Serves the files of a folder. Paths that are no file are views of the page, which are all one document. */
export function assetsIn(folder: string): Assets {
  async function file(path: string, acceptsEncoding: string): Promise<Response | undefined> {
    const type = TYPES[extname(path)];
    if (type === undefined) return undefined;
    const headers = {
      ...PAGE_HEADERS,
      "content-type": type,
      // The name of a file in `assets` changes with its content.
      "cache-control": path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
    };
    const stored = await storedFile(join(folder, path));
    if (stored === undefined) return undefined;
    const { content, isPacked } = stored;
    if (!isPacked) return new Response(content, { headers });
    return acceptsEncoding.includes("br")
      ? new Response(content, { headers: { ...headers, "content-encoding": "br" } })
      : new Response(await unpacked(content), { headers });
  }
  return {
    async answer(path, acceptsEncoding) {
      const name = path.slice(1);
      // Nothing outside the folder has such a name.
      const isName = /^[\w-]+(\.[\w-]+)*(\/[\w-]+(\.[\w-]+)*)*$/.test(name);
      if (isName && extname(name) !== "") return file(name, acceptsEncoding);
      return name === "" || isName ? file("index.html", acceptsEncoding) : undefined;
    },
  };
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** The page may load its own files and call its own server, and nothing else; no other page may show it. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types tuitbot-worker",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
} as const;
