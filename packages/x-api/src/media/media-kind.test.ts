import { describe, expect, it } from "vitest";
import { HEAD_BYTES, mediaKindOf } from "./media-file.ts";

const kindOf = (head: string) => mediaKindOf(Buffer.from(head, "latin1").subarray(0, HEAD_BYTES))?.type;

describe("file type by first bytes", () => {
  it.each([
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["RIFF\x0a\0\0\0WEBPVP8 ", "image/webp"],
    ["GIF87a", "image/gif"],
    ["GIF89a", "image/gif"],
    ["\0\0\0\x14ftypqt  ", "video/quicktime"],
    ...["isom", "iso2", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash"].map((brand) => [
      `\0\0\0\x0aftyp${brand}`,
      "video/mp4",
    ]),
  ])("%j is %s", (head, type) => {
    expect(kindOf(head)).toBe(type);
  });

  it.each([
    ["a HEIC picture", "\0\0\0\x18ftypheic"],
    ["a picture of the HEIF family", "\0\0\0\x18ftypmif1"],
    ["an AVIF picture", "\0\0\0\x1cftypavif"],
    ["M4A sound", "\0\0\0\x1cftypM4A "],
    ["WEBP without its container", "AAAAAAAAWEBP"],
    ["a head that is cut off", "\0\0\0\x18ftyp"],
    ["nothing", ""],
  ])("%s is none that X takes", (_what, head) => {
    expect(kindOf(head)).toBeUndefined();
  });
});
