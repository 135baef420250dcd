import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Attempt, channels } from "./distribution/channels.ts";
import { shippedServers } from "./distribution/servers.ts";
import { newStranger, type Stranger } from "./distribution/stranger.ts";
import { containerEngine } from "./distribution/try-container.ts";
import { root } from "./packages.ts";
import { serversOf } from "./try-release.ts";

describe("a new user gets the published packages", () => {
  let stranger: Stranger;
  const attempts = new Map<string, Attempt>();

  beforeAll(async () => {
    stranger = await newStranger({ isShort: true });
  }, 300_000);

  afterAll(() => stranger.close());

  for (const channel of channels)
    for (const server of serversOf(channel)) {
      const brought = channel.servers.length === 0 ? "" : server.name;
      test(`${channel.title}: ${brought || "all of it"}`, { timeout: 300_000 }, async () => {
        const attempt = await channel.attempt(stranger, server);
        if (attempt.missing !== undefined) console.warn(`${channel.id}: ${attempt.missing}`);
        attempts.set(`${channel.title}|${brought}`, attempt);
      });
    }

  test.skipIf(containerEngine() === undefined)(
    "the image was built by a container engine (skipped: there is none here, so its steps were run without one)",
    () => {
      for (const { missing } of attempts.values()) expect(missing).toBeUndefined();
    },
  );

  test("docs/install.md lists exactly the tested methods with their servers", () => {
    const table = /<!-- ways to install -->\n([\s\S]*?)\n<!--/.exec(
      readFileSync(join(root, "docs/install.md"), "utf8"),
    );
    const [, , ...rows] = (table?.[1] ?? "").split("\n");
    const promised = rows.flatMap((row) => {
      const [title = "", ...has] = row
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim());
      const brought = shippedServers.filter((_server, index) => has[index] === "yes");
      return brought.length === 0 ? [`${title}|`] : brought.map(({ name }) => `${title}|${name}`);
    });
    expect(promised.sort()).toEqual([...attempts.keys()].sort());
  });
});
