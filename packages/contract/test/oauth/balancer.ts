import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export async function balancer(): Promise<{ readonly origin: string; readonly replicas: string[] }> {
  const replicas: string[] = [];
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? "/", replicas[count++ % replicas.length]);
    const { method, headers } = incoming;
    const passed = request(target, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, replicas };
}
