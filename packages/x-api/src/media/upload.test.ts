import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failed, ok } from "@toolpact/outcome";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldClock } from "../../test/doubles.ts";
import type { CallArgs, XClient } from "../client.ts";
import type { ProviderError } from "../errors.ts";
import { type ProcessingInfo, type UploadOptions, type UploadProgress, uploadMedia } from "./upload.ts";

const MiB = 1024 * 1024;
const heads = {
  png: "\x89PNG\r\n\x1a\n",
  jpeg: "\xff\xd8\xff\xe0",
  gif: "GIF89a",
  mp4: "\0\0\0\x18ftypmp42",
  mov: "\0\0\0\x14ftypqt  ",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "x-api-media-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(head: keyof typeof heads | string, bytes = 64, name = "file"): Promise<string> {
  const path = join(folder, name);
  const content = Buffer.alloc(bytes, 7);
  content.write(head in heads ? heads[head as keyof typeof heads] : head, "latin1");
  await writeFile(path, content);
  return path;
}

/** Stores uploads and answers by script. */
class FakeMediaApi implements XClient {
  readonly calls: string[] = [];
  readonly parts: { index: number; bytes: number }[] = [];
  altText: unknown;
  statuses: ProcessingInfo[] = [];
  atFinalize: ProcessingInfo | undefined;
  failing: { operation: string; error: ProviderError } | undefined;

  async call(operation: string, args: CallArgs = {}): Promise<never> {
    this.calls.push(operation);
    // The caller claims the type of `data`.
    return (
      this.failing?.operation === operation
        ? failed(this.failing.error)
        : ok({ data: this.answer(operation, args) })
    ) as never;
  }

  rateWindows(): [] {
    return [];
  }

  private answer(operation: string, { body = {} }: CallArgs): object {
    if (operation === "appendMediaUpload")
      this.parts.push({ index: Number(body.segment_index), bytes: (body.media as Uint8Array).length });
    if (operation === "createMediaMetadata") this.altText = body.metadata;
    if (operation === "finalizeMediaUpload") return { id: "77", processing_info: this.atFinalize };
    if (operation === "getMediaUploadStatus") return { id: "77", processing_info: this.statuses.shift() };
    return { id: "77", expires_after_secs: 86400 };
  }
}

/** Time passes only during waits. */
const jumpingClock = () => heldClock(1_700_000_000_000, true);

const upload = (api: FakeMediaApi, options: UploadOptions) =>
  uploadMedia(api, { clock: jumpingClock(), ...options });

describe("uploading", () => {
  test.each(["png", "jpeg"] as const)("sends a %s in one request, whatever its name says", async (kind) => {
    const api = new FakeMediaApi();
    const uploaded = await upload(api, {
      path: await file(kind, 100, `misnamed-${kind}.mp4`),
      altText: "A cat",
    });
    expect(uploaded).toMatchObject({
      ok: true,
      value: { mediaId: "77", kind: "image", type: `image/${kind}`, bytes: 100 },
    });
    expect(api.calls).toEqual(["mediaUpload", "createMediaMetadata"]);
    expect(api.altText).toEqual({ alt_text: { text: "A cat" } });
  });

  test("sends a video in parts of 4 MiB, reports progress, and waits as X requests", async () => {
    const api = new FakeMediaApi();
    api.atFinalize = { state: "pending", check_after_secs: 3 };
    api.statuses = [{ state: "in_progress", check_after_secs: 90 }, { state: "succeeded" }];
    const clock = jumpingClock();
    const progress: UploadProgress[] = [];
    const path = await file("mp4", 9 * MiB);
    expect(await upload(api, { path, clock, onProgress: (update) => progress.push(update) })).toMatchObject({
      ok: true,
      value: { kind: "video", type: "video/mp4" },
    });
    expect(api.parts).toEqual([
      { index: 0, bytes: 4 * MiB },
      { index: 1, bytes: 4 * MiB },
      { index: 2, bytes: MiB },
    ]);
    expect(clock.waits).toEqual([3_000, 30_000]);
    expect(progress.map(({ phase, sentBytes }) => `${phase} ${sentBytes / MiB}`)).toEqual([
      "sending 4",
      "sending 8",
      "sending 9",
      "processing 9",
      "processing 9",
    ]);
  });

  test.each([
    ["a file that is not there", () => join(folder, "nowhere.png"), "unreadable_file"],
    ["a folder", () => folder, "unreadable_file"],
    ["an empty file", () => file("", 0, "empty.png"), "unreadable_file"],
    ["a text that calls itself a picture", () => file("hello", 64, "fake.png"), "unsupported_media"],
    ["a picture over 5 MiB", () => file("png", 5 * MiB + 1), "media_too_large"],
    ["a GIF over 15 MiB", () => file("gif", 15 * MiB + 1), "media_too_large"],
  ])("refuses %s before a byte is sent", async (_what, path, kind) => {
    const api = new FakeMediaApi();
    expect(await upload(api, { path: await path() })).toMatchObject({ ok: false, failure: { kind } });
    expect(api.calls).toEqual([]);
  });

  test("rejects an invalid alternative text before a byte is sent", async () => {
    const api = new FakeMediaApi();
    const path = await file("png");
    expect(await upload(api, { path, altText: "a".repeat(1_001) })).toMatchObject({
      ok: false,
      failure: { kind: "invalid_request", parameters: ["alt_text"] },
    });
    expect(api.calls).toEqual([]);
    expect(await upload(api, { path, altText: "😀".repeat(1_000) })).toMatchObject({ ok: true });
  });

  test("keeps the file if only its alternative text failed, and reports that", async () => {
    const api = new FakeMediaApi();
    api.failing = {
      operation: "createMediaMetadata",
      error: { kind: "server_error", status: 503, message: "down" },
    };
    expect(await upload(api, { path: await file("png"), altText: "A cat" })).toMatchObject({
      ok: true,
      value: { mediaId: "77", altTextFailure: { kind: "server_error" } },
    });
  });

  test("stops waiting when the caller aborts", async () => {
    const api = new FakeMediaApi();
    api.atFinalize = { state: "pending" };
    const given = new AbortController();
    const path = await file("mov", MiB);
    const uploaded = upload(api, {
      path,
      signal: given.signal,
      onProgress: ({ phase }) => phase === "processing" && given.abort(),
    });
    expect(await uploaded).toMatchObject({ ok: false, failure: { kind: "network", cause: "aborted" } });
    expect(api.calls).not.toContain("getMediaUploadStatus");
  });

  test("ends in a typed outcome, for any answers of X in any order", async () => {
    const path = await file("gif", 9 * MiB);
    const state = fc.record(
      {
        state: fc.constantFrom("pending", "in_progress", "failed", "succeeded", "nonsense"),
        check_after_secs: fc.integer({ min: -5, max: 500 }),
      },
      { requiredKeys: [] },
    );
    const failing = fc.option(
      fc.constantFrom(
        "initializeMediaUpload",
        "appendMediaUpload",
        "finalizeMediaUpload",
        "getMediaUploadStatus",
      ),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.option(state, { nil: undefined }),
        fc.array(state, { maxLength: 40 }),
        failing,
        async (first, statuses, operation) => {
          const api = new FakeMediaApi();
          // X omits the generator's optional members.
          api.atFinalize = first as ProcessingInfo | undefined;
          api.statuses = statuses as ProcessingInfo[];
          if (operation)
            api.failing = { operation, error: { kind: "server_error", status: 500, message: "down" } };
          const uploaded = await upload(api, { path });
          if (uploaded.ok) expect(uploaded.value.mediaId).toBe("77");
          else
            expect(["server_error", "processing_failed", "processing_timeout"]).toContain(
              uploaded.failure.kind,
            );
          if (operation && api.calls.includes(operation)) expect(uploaded.ok).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
