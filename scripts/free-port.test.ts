import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("Free ports differ between calls and processes, and are outside the system's range", async () => {
  const script = 'import { freePort } from "./scripts/free-port.ts"; console.log(await freePort());';
  const other = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const others = (await Promise.all([other(), other()])).map(({ stdout }) => Number(stdout));
  const ports = [await freePort(), await freePort(), ...others];
  expect(new Set(ports).size).toBe(ports.length);

  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  expect(port).toBeGreaterThan(Math.max(...ports));
});

test("A free port is not in use", async () => {
  const port = await freePort();
  const server = createServer().listen(port + 1, "127.0.0.1");
  await once(server, "listening");
  expect(await freePort()).toBe(port + 2);
  server.close();
});
