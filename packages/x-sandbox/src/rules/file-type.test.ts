import { describe, expect, test } from "vitest";
import { contentFits, typeByContent } from "./file-type.ts";

const head = (text: string): Buffer => Buffer.from(text, "latin1");

describe("file type by content", () => {
  test.each([
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["GIF89a", "image/gif"],
    ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp"],
    ["\0\0\0\x18ftypmp42", "video/mp4"],
    ["\0\0\0\x20ftypisom", "video/mp4"],
    ["\0\0\0\x14ftypqt  ", "video/mp4"],
    ["\x1a\x45\xdf\xa3", "video/webm"],
  ])("%j is %s", (text, type) => {
    expect(typeByContent(head(text))).toBe(type);
    expect(contentFits(type, head(text))).toBe(true);
  });

  test.each([
    ["a HEIC picture", "\0\0\0\x18ftypheic", "video/mp4"],
    ["an AVIF picture", "\0\0\0\x1cftypavif", "video/mp4"],
    ["M4A sound", "\0\0\0\x1cftypM4A ", "video/quicktime"],
    ["WEBP without its container", "AAAAAAAAWEBP", "image/webp"],
    ["nothing", "", "image/png"],
  ])("%s is none of them", (_what, text, declared) => {
    expect(typeByContent(head(text))).toBeUndefined();
    expect(contentFits(declared, head(text))).toBe(false);
  });
});
