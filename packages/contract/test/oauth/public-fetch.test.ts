import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../../../tuitbot/test/web/self-signed.ts";
import { publicFetch } from "../../src/oauth/public-fetch.ts";
import { trapServer } from "./trap-server.ts";

/** Trusted by this process. Returns the requested paths. */
async function httpsServer() {
  const certificate = selfSigned("localhost");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, certificate.cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const asked: string[] = [];
  const server = createServer(certificate, ({ url = "", headers }, response) => {
    asked.push(`${url} ${headers.accept}`);
    if (url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end("moved");
    else response.writeHead(200, { "content-type": "application/json" }).end('{"a":1}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, asked };
}

test("a document is fetched over https, without following redirects", async () => {
  const { url, asked } = await httpsServer();
  // Loopback stands in for the internet.
  const fetch = publicFetch(() => false);
  const found = await fetch(`${url}/client.json`, { headers: { accept: "application/json" } });
  expect([found.status, found.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await found.json()).toEqual({ a: 1 });
  const moved = await fetch(`${url}/moved`);
  expect([moved.status, await moved.text()]).toEqual([302, ""]);
  expect(asked).toEqual(["/client.json application/json", "/moved undefined"]);
});

test("a fetch ends with its signal", async () => {
  const { port } = await trapServer();
  const stop = new AbortController();
  const fetched = publicFetch(() => false)(`https://localhost:${port}/`, { signal: stop.signal });
  stop.abort();
  await expect(fetched).rejects.toThrow(/abort/i);
});

test.each(["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])(
  "nothing is sent to %s, although the host was not checked before",
  async (host) => {
    const { port, seen } = await trapServer();
    await expect(publicFetch()(`https://${host}:${port}/`)).rejects.toThrow("is not on the internet");
    expect(seen).toEqual({ bytes: 0, connections: 0 });
  },
);
