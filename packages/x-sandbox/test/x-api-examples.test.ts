import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ok } from "@toolpact/outcome";
import { createXClient } from "@toolpact/x-api";
import { expect, test } from "vitest";
import { followersOf } from "../../x-api/examples/followers.ts";
import { recordingClient } from "../../x-api/examples/journal.ts";
import { postPicture } from "../../x-api/examples/post-picture.ts";
import { Sandbox } from "../src/sandbox.ts";

const sandbox = new Sandbox({ seed: 7, plan: "enterprise" });
const { accessToken } = sandbox.signIn();
const token = async () => ok(accessToken);
const client = createXClient({
  fetch: sandbox.fetch,
  tokens: { userToken: token, appToken: token, rejected: token },
});

async function printed(example: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = join(import.meta.dirname, "../../x-api/examples", example);
  const args = ["--conditions=toolpact-source", file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return stdout;
}

test("the X client's README searches, with what the sandbox prints", async () => {
  const URL = await sandbox.listen();
  const lines = (await printed("search.ts", { URL, TOKEN: accessToken })).trimEnd().split("\n");
  await sandbox.close();
  expect(lines).toHaveLength(10);
  for (const line of lines) expect(line).toMatch(/^\d{19} .*maps/i);
});

test("the X client's README posts a picture", async () => {
  const folder = await mkdtemp(join(tmpdir(), "x-api-example-"));
  const path = join(folder, "cat.png");
  await writeFile(path, Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1"));
  expect(await postPicture(client, "Busy.", path, "A cat asleep")).toMatch(/^\d{19}, billed as a post$/);
  expect(await postPicture(client, "x".repeat(300), path, "A cat asleep")).toBe(
    "300 of 280: too long, or empty.",
  );
  await rm(folder, { recursive: true });
});

test("the X client's README lists all followers", async () => {
  const { id } = sandbox.person("sandbox_owner");
  expect(await followersOf(client, id)).toHaveLength(sandbox.world.follows.to(id).size);
});

test("the X client's README has the right prices", async () => {
  expect(await printed("prices.ts")).toBe("10\n0.2\nfalse\n");
});

test("the X client's README records writes", async () => {
  const log: string[] = [];
  const recording = recordingClient(client, log);
  const first = await recording.call("createPosts", { body: { text: "Recorded." } });
  const second = await recording.call("createPosts", { body: { text: "Not sent." } });
  expect([first.ok, second]).toMatchObject([true, { failure: { kind: "not_sent", reason: "one_only" } }]);
  expect(log).toEqual(["about to send createPosts to /2/tweets", "createPosts is confirmed"]);
});
