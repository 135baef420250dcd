import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Receives the data of OpenTelemetry's exporters on loopback, for tests. */
export async function otlpCollector() {
  const requests: { readonly path: string; readonly body: Buffer }[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    requests.push({ path: request.url ?? "", body: Buffer.concat(parts) });
    // An empty protobuf message has no bytes.
    response.end();
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    paths: () => requests.map(({ path }) => path),
    /** Resolves when a request to the path contains all these texts. Protobuf stores strings unchanged. */
    async received(path: string, texts: readonly string[]): Promise<void> {
      const fits = (request: (typeof requests)[number]) =>
        request.path === path && texts.every((text) => request.body.includes(text));
      while (!requests.some(fits)) await arrived.promise;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
