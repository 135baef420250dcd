import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Can lose an answer of the server behind it. */
export interface LossyProxy {
  port: number;
  readonly through: (url: string) => string;
  readonly url: string;
  readonly received: string[];
  /** Holds back the tool's next answer. Resolves then, with a function that breaks its connection. */
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
    // One side has disconnected.
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
