import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Caller, type Heard, hear, owner } from "./caller.ts";
import { png } from "./examples.ts";

const MiB = 1_048_576;
const videoHead = Buffer.from("\0\0\0\u0018ftypmp42");

function part(index: number, bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.set("segment_index", String(index));
  form.set("media", new Blob([bytes]));
  return form;
}

async function begin(me: Caller, total: number, changes: object = {}): Promise<string> {
  const heard = await me.post("/2/media/upload/initialize", {
    media_type: "video/mp4",
    media_category: "tweet_video",
    total_bytes: total,
    ...changes,
  });
  expect(heard.status, heard.text).toBe(200);
  return heard.word("data", "id");
}

function status(me: Caller, id: string): Promise<Heard> {
  return me.get(`/2/media/upload?command=STATUS&media_id=${id}`);
}

function message(heard: Heard): string {
  expect(heard.status).toBe(400);
  expect(heard.at("title")).toBe("Invalid Request");
  return heard.word("errors", 0, "message");
}

describe("a video in parts", () => {
  test("is received, processed while the clock moves, and posted; its bytes are hashed and not kept", async () => {
    const me = owner();
    const video = Buffer.concat([videoHead, Buffer.alloc(9 * MiB, 7)]);
    const cut = 4 * MiB;
    const id = await begin(me, video.length);
    for (let i = 0; i * cut < video.length; i++) {
      const heard = await me.post(
        `/2/media/upload/${id}/append`,
        part(i, video.subarray(i * cut, (i + 1) * cut)),
      );
      expect(heard.at("data", "expires_at")).toBe(me.sandbox.clock.now() / 1_000 + 86_400);
    }
    const final = await me.post(`/2/media/upload/${id}/finalize`);
    expect(final.at("data")).toMatchObject({ id, media_key: `7_${id}`, size: video.length });
    expect(final.at("data", "processing_info")).toEqual({
      state: "pending",
      check_after_secs: 3,
      progress_percent: 0,
    });
    const body = { text: "A video", media: { media_ids: [id] } };
    expect(message(await me.post("/2/tweets", body))).toBe("Your media IDs are invalid.");
    me.sandbox.clock.advance(1_500);
    expect((await status(me, id)).at("data", "processing_info")).toEqual({
      state: "in_progress",
      check_after_secs: 2,
      progress_percent: 50,
    });
    me.sandbox.clock.advance(1_500);
    expect((await status(me, id)).at("data", "processing_info")).toEqual({
      state: "succeeded",
      progress_percent: 100,
    });
    expect((await me.post("/2/tweets", body)).status).toBe(201);

    const stored = me.sandbox.dump().media.find((media) => media.id === id);
    expect(stored?.received).toBe(video.length);
    expect(stored?.segments[1]).toEqual({
      index: 1,
      bytes: cut,
      sha256: createHash("sha256")
        .update(video.subarray(cut, 2 * cut))
        .digest("hex"),
    });
    for (const segment of me.sandbox.world.media.get(id)?.segments.values() ?? [])
      expect(segment.head.length).toBeLessThanOrEqual(64);
  });

  test("fails in processing if it is not a video", async () => {
    const me = owner();
    const id = await begin(me, 5);
    await me.post(`/2/media/upload/${id}/append`, part(0, Buffer.from("hello")));
    await me.post(`/2/media/upload/${id}/finalize`);
    me.sandbox.clock.advance(60_000);
    expect((await status(me, id)).at("data", "processing_info")).toEqual({
      state: "failed",
      progress_percent: 100,
    });
    expect(message(await me.post("/2/tweets", { text: "x", media: { media_ids: [id] } }))).toBe(
      "Your media IDs are invalid.",
    );
  });

  test("rejects invalid parts with the reason", async () => {
    const me = owner();
    const id = await begin(me, 10);
    const append = (index: number, text: string) =>
      me.post(`/2/media/upload/${id}/append`, part(index, Buffer.from(text)));
    expect(message(await append(0, ""))).toBe("The part is empty.");
    expect(message(await append(0, "12345678901"))).toBe(
      "The parts are larger than the announced `total_bytes`.",
    );
    expect(message(await append(1_000, "1"))).toBe("$.segment_index: is not between 0 and 999");
    expect((await append(1, "12345")).status).toBe(200);
    expect(message(await me.post(`/2/media/upload/${id}/finalize`))).toBe(
      "Segments do not add up: a `segment_index` is missing.",
    );
    expect((await append(0, "123")).status).toBe(200);
    expect(message(await me.post(`/2/media/upload/${id}/finalize`))).toBe(
      "Segments do not add up to provided total file size.",
    );
    expect((await append(0, "12345")).status).toBe(200);
    expect(message(await status(me, id))).toBe("The upload has not been finalized.");
    expect((await me.post(`/2/media/upload/${id}/finalize`)).status).toBe(200);
    expect(message(await append(0, "12345"))).toBe("The upload is finalized and takes no more parts.");
    const large = await begin(me, 6 * MiB);
    expect(
      message(await me.post(`/2/media/upload/${large}/append`, part(0, Buffer.alloc(5 * MiB + 1)))),
    ).toBe("The part is larger than 5 MiB.");
  });

  test("belongs to the user who started it, and expires after a day", async () => {
    const me = owner();
    const id = await begin(me, 12);
    const { accessToken } = me.sandbox.signIn({ user: "sandbox_friend" });
    const asFriend = await me.sandbox.fetch(`https://api.x.com/2/media/upload/${id}/finalize`, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(asFriend.status).toBe(404);
    me.sandbox.clock.advance(86_400_000);
    const later = me.sandbox.signIn();
    const late = await me.sandbox.fetch(`https://api.x.com/2/media/upload/${id}/finalize`, {
      method: "POST",
      headers: { authorization: `Bearer ${later.accessToken}` },
    });
    expect(late.status).toBe(404);
  });
});

describe("sizes and kinds", () => {
  test.each([
    ["image/png", "tweet_image", 5 * MiB],
    ["image/gif", "tweet_gif", 15 * MiB],
    ["video/mp4", "tweet_video", 512 * MiB],
  ])("%s may have %s bytes and no more", async (media_type, media_category, limit) => {
    const me = owner();
    await begin(me, limit, { media_type, media_category });
    const heard = await me.post("/2/media/upload/initialize", {
      media_type,
      media_category,
      total_bytes: limit + 1,
    });
    expect(message(heard)).toBe(`File size exceeds ${limit} bytes.`);
  });

  test("the kind must fit the category", async () => {
    const heard = await owner().post("/2/media/upload/initialize", {
      media_type: "video/mp4",
      media_category: "tweet_image",
      total_bytes: 1,
    });
    expect(message(heard)).toBe("Media type [video/mp4] does not fit the category tweet_image.");
  });

  test("a picture is uploaded in one piece, as a form or in base64, and takes an alt text", async () => {
    const me = owner();
    const form = new FormData();
    form.set("media", new Blob([Buffer.from(png(), "base64")]));
    form.set("media_category", "tweet_image");
    const first = await me.post("/2/media/upload", form);
    const second = await me.post("/2/media/upload", { media: png(), media_category: "tweet_image" });
    for (const heard of [first, second]) {
      expect(heard.at("data")).toMatchObject({ size: 70, image: { image_type: "image/png" } });
      expect(heard.at("data", "processing_info")).toBeUndefined();
    }
    const id = first.word("data", "id");
    const described = await me.post("/2/media/metadata", { id, metadata: { alt_text: { text: "A dot" } } });
    expect(described.at("data", "associated_metadata")).toEqual({ alt_text: { text: "A dot" } });
    const post = await me.post("/2/tweets", { text: "A dot", media: { media_ids: [id] } });
    const read = await me.get(
      `/2/tweets/${post.word("data", "id")}?expansions=attachments.media_keys&media.fields=alt_text,url`,
    );
    expect(read.at("includes", "media")).toEqual([
      { media_key: `3_${id}`, type: "photo", alt_text: "A dot", url: expect.any(String) },
    ]);
  });

  test("a post carries four pictures or one video", async () => {
    const me = owner();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++)
      ids.push(
        (await me.post("/2/media/upload", { media: png(), media_category: "tweet_image" })).word(
          "data",
          "id",
        ),
      );
    const video = await begin(me, videoHead.length);
    await me.post(`/2/media/upload/${video}/append`, part(0, videoHead));
    await me.post(`/2/media/upload/${video}/finalize`);
    me.sandbox.clock.advance(60_000);
    expect(message(await me.post("/2/tweets", { text: "Both", media: { media_ids: [ids[0], video] } }))).toBe(
      "Your media IDs are invalid.",
    );
    expect(
      message(await me.post("/2/tweets", { text: "Twice", media: { media_ids: [ids[0], ids[0]] } })),
    ).toBe("Your media IDs are invalid.");
    expect((await me.post("/2/tweets", { text: "Four", media: { media_ids: ids } })).status).toBe(201);
  });
});

test("over HTTP a part is accepted, and one that is too large is rejected unread", async () => {
  const me = owner();
  const url = await me.sandbox.listen();
  const { accessToken } = me.sandbox.signIn();
  const id = await begin(new Caller(me.sandbox, accessToken), 20 * MiB);
  const append = (bytes: number) =>
    fetch(`${url}/2/media/upload/${id}/append`, {
      method: "POST",
      body: part(0, Buffer.alloc(bytes)),
      headers: { authorization: `Bearer ${accessToken}` },
    });
  expect((await append(4 * MiB)).status).toBe(200);
  const refused = await hear(await append(17 * MiB));
  expect(refused.status).toBe(413);
  expect(refused.body).toMatchObject({ title: "Payload Too Large", status: 413 });
  await me.sandbox.close();
});

type Step =
  | { readonly do: "append"; readonly index: number; readonly bytes: number }
  | { readonly do: "finalize" | "status" }
  | { readonly do: "wait"; readonly ms: number };

test("an upload is ready only after all bytes arrived and processing time passed, in any order of steps", async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("append" as const),
        index: fc.nat(3),
        bytes: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("finalize" as const, "status" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
    },
  );
  const total = 12;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const me = owner({ size: { people: 8, posts: 0 } });
      const id = await begin(me, total);
      const received = new Map<number, number>();
      let finalizedAt: number | undefined;
      for (const step of steps) {
        const now = me.sandbox.clock.now();
        if (step.do === "wait") me.sandbox.clock.advance(step.ms);
        else if (step.do === "append") {
          const others = sum(received) - (received.get(step.index) ?? 0);
          const fits = finalizedAt === undefined && others + step.bytes <= total;
          const heard = await me.post(
            `/2/media/upload/${id}/append`,
            part(step.index, Buffer.concat([videoHead]).subarray(0, step.bytes)),
          );
          expect(heard.status).toBe(fits ? 200 : 400);
          if (fits) received.set(step.index, step.bytes);
        } else if (step.do === "finalize") {
          const whole =
            sum(received) === total && [...received.keys()].every((index) => index < received.size);
          const heard = await me.post(`/2/media/upload/${id}/finalize`);
          expect(heard.status).toBe(whole && finalizedAt === undefined ? 200 : 400);
          if (heard.status === 200) finalizedAt = now;
        } else {
          const heard = await status(me, id);
          expect(heard.status).toBe(finalizedAt === undefined ? 400 : 200);
          if (finalizedAt === undefined) continue;
          const over = now >= finalizedAt + 3_000;
          const good = (received.get(0) ?? 0) >= 8;
          const expected = over
            ? good
              ? "succeeded"
              : "failed"
            : now === finalizedAt
              ? "pending"
              : "in_progress";
          expect(heard.at("data", "processing_info", "state")).toBe(expected);
        }
      }
    }),
    { numRuns: 60 },
  );
});

function sum(received: ReadonlyMap<number, number>): number {
  return [...received.values()].reduce((total, bytes) => total + bytes, 0);
}
