import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A packed package with its manifest. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly file: string;
}

/** An npm registry on loopback with only these packages. */
export async function loopbackRegistry(packed: readonly PackedPackage[]) {
  const others: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    const wanted = packed.find(({ name }) => path === `/${name}` || path === `/${name}.tgz`);
    if (wanted === undefined) {
      // npm requests known vulnerabilities of installed packages.
      if (!path.startsWith("/-/")) others.push(path);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
    } else if (path.endsWith(".tgz")) response.end(readFileSync(wanted.file));
    else
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(listing(wanted, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** Requested packages it does not have. */
    others: (): readonly string[] => others,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listing({ name, version, manifest, file }: PackedPackage, url: string) {
  const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  const dist = { tarball: `${url}/${name}.tgz`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
