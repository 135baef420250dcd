import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uploadMedia } from "@toolpact/x-api";
import { beforeEach, describe, expect, test } from "vitest";
import { places, type SignedIn, signedIn } from "./signed-in.ts";

describe.each(places)("uploading with the client, %s", (where) => {
  let x: SignedIn;
  beforeEach(async () => {
    x = await signedIn(where);
  });

  async function file(name: string, head: string, bytes: number): Promise<string> {
    const path = join(x.folder, name);
    await writeFile(path, Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(bytes - head.length)]));
    return path;
  }

  test.each([
    ["an image", "\x89PNG\r\n\x1a\n", 5_000, "image", ["mediaUpload"]],
    [
      "a video in parts",
      "\0\0\0\x18ftypmp42",
      5 * 1_048_576,
      "video",
      ["appendMediaUpload", "appendMediaUpload"],
    ],
  ] as const)("%s with alternative text, and posting it", async (_what, head, bytes, kind, parts) => {
    const path = await file("thing.bin", head, bytes);
    const clock = x.leaping;
    const uploaded = await uploadMedia(x.client, { path, altText: "A cat asleep", clock });
    if (!uploaded.ok) throw new Error(uploaded.failure.message);
    expect(uploaded.value).toMatchObject({ kind, bytes });
    expect(uploaded.value).not.toHaveProperty("altTextFailure");
    const { mediaId } = uploaded.value;
    expect(x.sandbox.world.media.get(mediaId)).toMatchObject({ altText: "A cat asleep", state: "ready" });
    const sent = x.sandbox.journal.entries.map(({ operation }) => operation ?? "");
    expect(sent.filter((operation) => parts.some((part) => part === operation))).toEqual(parts);
    const made = await x.post("Look", { media: { media_ids: [mediaId] } });
    if (!made.ok) throw new Error(made.failure.message);
    expect(x.sandbox.world.posts.get(made.value.data.id)?.mediaIds).toEqual([mediaId]);
  });

  test("does not send a HEIC picture as a video", async () => {
    const path = await file("picture.heic", "\0\0\0\x18ftypheic", 5_000);
    const before = x.sandbox.journal.entries.length;
    expect((await uploadMedia(x.client, { path, clock: x.leaping })).ok).toBe(false);
    expect(x.sandbox.journal.entries).toHaveLength(before);
  });
});
