import { mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sandboxX } from "../../../test/sandbox-x.ts";
import { type MediaSetting, planUpload, upload } from "./media.ts";

const size = { people: 8, posts: 20 };
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(100)]);
let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tuitbot-media-")));
  writeFileSync(join(root, "cat.png"), png);
  writeFileSync(join(root, "cat.txt"), "not a picture");
  writeFileSync(join(root, "empty.png"), "");
  writeFileSync(join(root, "huge.png"), png);
  truncateSync(join(root, "huge.png"), 5 * 1024 * 1024 + 1);
  writeFileSync(join(root, "dance.gif"), gif);
  truncateSync(join(root, "dance.gif"), 9 * 1024 * 1024);
});

afterAll(() => rmSync(root, { recursive: true }));

function setting(change: Partial<MediaSetting> = {}): MediaSetting {
  return { roots: [root], signal: new AbortController().signal, progress: () => {}, ...change };
}

it("uploads a picture in one piece, with its alternative text", async () => {
  const sandbox = new Sandbox({ size });
  const uploaded = await upload(sandboxX(sandbox).client, { path: "cat.png", altText: "A cat" }, setting());
  expect(uploaded).toMatchObject({
    ok: true,
    value: {
      media_type: "image/png",
      file_size_bytes: png.length,
      upload_strategy: "simple",
      segment_count: 1,
      processing_required: false,
      alt_text: "A cat",
    },
  });
  const id = uploaded.ok ? uploaded.value.media_id : "";
  expect(sandbox.world.media.get(id)).toMatchObject({ state: "ready", altText: "A cat" });
});

it("an upload reports a missing alternative text after the picture was stored", async () => {
  const sandbox = new Sandbox({ size });
  sandbox.faults.add({ operation: "createMediaMetadata", kind: "error" });
  const uploaded = await upload(sandboxX(sandbox).client, { path: "cat.png", altText: "A cat" }, setting());
  expect(uploaded).toMatchObject({ ok: true, value: { alt_text_failure: "X failed with status 503." } });
});

it("sends large files in as many parts as it planned, and tells how far it is", async () => {
  const sandbox = new Sandbox({ size, start: Date.now(), realTime: Date.now });
  const reported: number[] = [];
  const plan = await planUpload({ path: "dance.gif" }, { roots: [root] });
  expect(plan).toMatchObject({ ok: true, value: { upload_strategy: "chunked", segment_count: 3 } });
  // Aborts instead of waiting for X's next poll.
  const control = new AbortController();
  await upload(
    sandboxX(sandbox).client,
    { path: "dance.gif" },
    setting({
      signal: control.signal,
      progress: ({ done, total }) => {
        reported.push(done);
        if (done === total) setImmediate(() => control.abort());
      },
    }),
  );
  expect(sandbox.journal.of("appendMediaUpload")).toHaveLength(3);
  expect(reported).toEqual([4, 8, 9].map((mebibytes) => mebibytes * 1024 * 1024));
});

it("stops sending when it is cancelled", async () => {
  const sandbox = new Sandbox({ size });
  const control = new AbortController();
  const stopped = await upload(
    sandboxX(sandbox).client,
    { path: "dance.gif" },
    setting({ signal: control.signal, progress: () => control.abort() }),
  );
  expect(stopped).toMatchObject({ failure: { code: "x_network_error", reason: "aborted" } });
  expect(sandbox.journal.of("appendMediaUpload")).toHaveLength(1);
});

it.each([
  ["cat.txt", "unsupported_media_type", undefined],
  ["empty.png", "file_read_error", undefined],
  ["huge.png", "media_upload_error", "too_large"],
  ["nothing.png", "file_read_error", undefined],
  ["../cat.png", "invalid_input", "path_not_allowed"],
])("an upload of %s is rejected with %s before anything is sent", async (path, code, reason) => {
  const sandbox = new Sandbox({ size });
  const expected = { ok: false, failure: { code, ...(reason && { reason }) } };
  expect(await upload(sandboxX(sandbox).client, { path }, setting())).toMatchObject(expected);
  expect(await planUpload({ path }, { roots: [root] })).toMatchObject(expected);
  expect(sandbox.journal.entries).toEqual([]);
});
