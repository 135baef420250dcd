import { spawn } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const MiB = 1024 * 1024;

test("a video of 512 MiB is sent without holding it in memory", async () => {
  const path = join(tmpdir(), `x-api-${process.pid}.mp4`);
  const file = await open(path, "w");
  await file.write(Buffer.from("\0\0\0\x18ftypmp42", "latin1"));
  // A sparse file: 512 MiB to read, almost nothing on disk.
  await file.truncate(512 * MiB);
  await file.close();
  let received = 0;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: { id: "77" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { grownMiB, outcome } = await uploadElsewhere(`http://127.0.0.1:${port}`, path);
    expect(outcome).toMatchObject({ ok: true, value: { mediaId: "77", bytes: 512 * MiB } });
    expect(received).toBeGreaterThan(512 * MiB);
    expect(grownMiB).toBeLessThanOrEqual(32);
  } finally {
    server.close();
    await rm(path);
  }
}, 120_000);

/** In a process that does nothing else. */
async function uploadElsewhere(
  baseUrl: string,
  path: string,
): Promise<{ grownMiB: number; outcome: unknown }> {
  const script = new URL("./upload-and-measure.ts", import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ["--conditions=toolpact-source", "--expose-gc", script, baseUrl, path],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return JSON.parse((await child.stdout.setEncoding("utf8").toArray()).join(""));
}
