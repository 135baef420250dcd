import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** A server on this machine that counts its connections and the bytes of their requests. */
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
  // The address of a listening TCP server.
  const { port } = server.address() as AddressInfo;
  return { port, seen };
}
