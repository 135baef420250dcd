import type { MediaKind } from "../world/media.ts";

/** What a file is, by its first bytes; undefined when the sandbox cannot tell. */
export function typeByContent(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head);
  return signatures.find(([, offset, start]) =>
    bytes.subarray(offset, offset + start.length).equals(start),
  )?.[0];
}

export function kindOfType(type: string): MediaKind | undefined {
  if (type === "image/gif") return "animated_gif";
  if (type.startsWith("image/")) return "photo";
  if (type.startsWith("video/")) return "video";
  return type.startsWith("text/") ? "subtitles" : undefined;
}

/** Whether the content fits what was declared. Types without a signature here are taken on trust. */
export function contentFits(declared: string, head: Uint8Array): boolean {
  const family = familyOf(declared);
  return !families.has(family) || familyOf(typeByContent(head) ?? "") === family;
}

function familyOf(type: string): string {
  if (type === "video/quicktime") return "video/mp4";
  return type === "image/pjpeg" ? "image/jpeg" : type;
}

const signatures: readonly (readonly [type: string, offset: number, start: Buffer])[] = [
  ["image/jpeg", 0, Buffer.from([0xff, 0xd8, 0xff])],
  ["image/png", 0, Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ["image/gif", 0, Buffer.from("GIF8")],
  ["image/webp", 8, Buffer.from("WEBP")],
  ["image/bmp", 0, Buffer.from("BM")],
  ["video/mp4", 4, Buffer.from("ftyp")],
  ["video/webm", 0, Buffer.from([0x1a, 0x45, 0xdf, 0xa3])],
];

const families = new Set(signatures.map(([type]) => type));
