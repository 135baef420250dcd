import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Loopback {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Answers JSON by path. */
export async function loopback(answer: (path: string) => object): Promise<Loopback> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer(request.url ?? "/")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
