import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "@toolpact/contract/outcome";
import { createXClient } from "@toolpact/x-api";
import { expect, test } from "vitest";
import { postPicture } from "../../x-api/examples/post-picture.ts";
import { Sandbox } from "../src/sandbox.ts";

test("the X client's README posts a picture", async () => {
  const sandbox = new Sandbox({ seed: 7, plan: "enterprise" });
  const token = async () => ok(sandbox.signIn().accessToken);
  const client = createXClient({
    fetch: (input, init) => sandbox.fetch(input, init),
    tokens: { userToken: token, appToken: token, rejected: token },
  });
  const folder = await mkdtemp(join(tmpdir(), "x-api-example-"));
  const path = join(folder, "cat.png");
  await writeFile(path, Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1"));
  expect(await postPicture(client, "Busy.", path, "A cat asleep")).toMatch(/^\d{19}, billed as a post$/);
  expect(await postPicture(client, "x".repeat(300), path, "A cat asleep")).toBe(
    "300 of 280: too long, or empty.",
  );
  await rm(folder, { recursive: true });
});
