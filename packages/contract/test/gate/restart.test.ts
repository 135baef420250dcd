import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lab, lossy, patience, published, twoLegs } from "./lab.ts";

const POLICY = `
ask_in_client = true
wait_seconds = 0
[tools]
edit_file = "person"
trigger-elicitation-request = "allow"
`;

/** The file grows by a letter with each effect. */
async function filesLab() {
  const made = await lab(POLICY);
  const files = join(made.folder, "files");
  mkdirSync(files);
  const path = join(files, "a.txt");
  writeFileSync(path, "x");
  return {
    ...made,
    server: published("server-filesystem", files),
    edit: { path, edits: [{ oldText: "x", newText: "xx" }] },
    content: () => readFile(path, "utf8"),
  };
}

const approved = { action: "accept", content: { approve: "yes" } } as const;

test("an approval given in the client counts for a gate that was restarted meanwhile", async () => {
  const { connect, serve, server, edit, content, storage } = await filesLab();
  const asked: string[] = [];
  let port = 0;
  const first = await connect(
    { transport: "http", era: "modern" },
    {
      server,
      through(url) {
        port = Number(new URL(url).port);
        return url;
      },
      person: {
        async reply({ message }) {
          asked.push(message);
          await first.kill();
          await serve({ server, port, gateArgs: ["--no-token"] });
          return approved;
        },
      },
    },
  );
  expect(await first.call("edit_file", edit)).toMatchObject({ isError: false });
  expect(asked).toHaveLength(1);
  expect(await content()).toBe("xx");
  expect(await storage.item(1)).toMatchObject({
    status: "approved",
    decidedBy: 'person via client "tester"',
    receiptId: expect.any(String),
  });
});

test.each(twoLegs)(
  "over $transport, $era: a call whose question was not answered before the gate ended waits in the inbox, and the same call finds it",
  async (leg) => {
    const { connect, decide, server, edit, content, storage } = await filesLab();
    const asked: string[] = [];
    const isAsked = Promise.withResolvers<void>();
    const first = await connect(leg, {
      server,
      person: {
        reply({ message }) {
          asked.push(message);
          isAsked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const lost = first.call("edit_file", edit).catch((error: Error) => error);
    await isAsked.promise;
    await first.kill();
    await first.client.close();
    if (leg.era === "legacy") expect(await lost).toBeInstanceOf(Error);
    expect(await storage.items("waiting", Date.now())).toMatchObject([{ id: 1, tool: "edit_file" }]);

    const second = await connect(leg, {
      server,
      person: {
        async reply({ message }) {
          asked.push(message);
          return { action: "cancel" };
        },
      },
    });
    expect(await second.call("edit_file", edit)).toMatchObject({
      gate: { code: "waiting_for_person", item_id: 1 },
    });
    expect(asked[1]).toBe(asked[0]);
    expect(await content()).toBe("x");
    await decide(true);
    await vi.waitFor(async () => {
      expect(await second.call("edit_file", edit)).toMatchObject({ isError: false });
    }, patience);
    expect(await content()).toBe("xx");
    expect(asked).toHaveLength(2);
  },
);

test("an answer to the server's own question is refused by a restarted gate, and the outcome of the call is unknown", async () => {
  const { folder, connect, serve, storage } = await lab(POLICY);
  const server = lossy(join(folder, "lose"), published("server-everything"));
  let port = 0;
  const first = await connect(
    { transport: "http", era: "modern" },
    {
      server,
      through(url) {
        port = Number(new URL(url).port);
        return url;
      },
      person: {
        async reply() {
          await first.kill();
          await serve({ server, port, gateArgs: ["--no-token"] });
          return { action: "accept", content: { name: "Ana", check: true } };
        },
      },
    },
  );
  await expect(first.call("trigger-elicitation-request", {})).rejects.toThrow("not waiting for an answer");
  expect(await storage.inDoubt(Date.now() + 60_000)).toMatchObject([{ tool: "trigger-elicitation-request" }]);
  expect(await first.call("trigger-elicitation-request", {})).toMatchObject({ gate: { code: "in_doubt" } });
});
