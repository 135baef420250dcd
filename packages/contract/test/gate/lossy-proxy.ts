import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy in front of a server over HTTP that can lose an answer. */
export interface LossyProxy {
  /** The port of the server. */
  port: number;
  /** The same address through this proxy. */
  readonly through: (url: string) => string;
  readonly url: string;
  /** The headers and bodies of all requests. */
  readonly received: string[];
  /**
   * The next answer to a call of this tool goes no further than here: resolves once it is here, with what breaks the
   * connection that it would have gone over.
   */
  readonly loseNext: (tool: string) => Promise<() => void>;
}

export async function lossyProxy(): Promise<LossyProxy> {
  let losing: { readonly tool: string; readonly lost: (cut: () => void) => void } | undefined;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const { method, params } = body.length > 0 ? JSON.parse(body.toString("utf8")) : {};
    const isLost = method === "tools/call" && losing?.tool === params.name ? losing : undefined;
    if (isLost !== undefined) losing = undefined;
    const { url, headers } = request;
    proxy.received.push(`${request.rawHeaders.join("\n")}\n${body}`);
    const onward = ask({
      host: "127.0.0.1",
      port: proxy.port,
      path: url,
      method: request.method,
      headers: { ...headers, host: `127.0.0.1:${proxy.port}` },
      agent: false,
    });
    // One of the two sides has disconnected.
    response.on("close", () => onward.destroy());
    onward.on("error", () => response.destroy());
    onward.on("response", async (answer) => {
      answer.on("error", () => response.destroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      if (isLost === undefined) return void answer.pipe(response);
      await answer.toArray();
      isLost.lost(() => response.destroy());
    });
    onward.end(body);
  }

  const server = createServer(
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const proxy: LossyProxy = {
    port: 0,
    received: [],
    url: `http://127.0.0.1:${port}/mcp`,
    through(url) {
      proxy.port = Number(new URL(url).port);
      return proxy.url;
    },
    loseNext: (tool) =>
      new Promise((lost) => {
        losing = { tool, lost };
      }),
  };
  return proxy;
}
