import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** Counts its connections and the bytes of requests. */
export async function trapServer() {
  const seen = { bytes: 0, connections: 0 };
  const server = createServer((socket) => {
    seen.connections++;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      seen.bytes += data.length;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, seen };
}
