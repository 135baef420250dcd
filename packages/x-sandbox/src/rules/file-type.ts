import type { MediaKind } from "../world/media.ts";

/** By the first bytes. */
export function typeByContent(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head);
  return signatures.find(([, ...marks]) =>
    marks.every(([offset, mark]) => bytes.subarray(offset, offset + mark.length).equals(mark)),
  )?.[0];
}

export function kindOfType(type: string): MediaKind | undefined {
  if (type === "image/gif") return "animated_gif";
  if (type.startsWith("image/")) return "photo";
  if (type.startsWith("video/")) return "video";
  return type.startsWith("text/") ? "subtitles" : undefined;
}

/** Types without a known signature fit. */
export function contentFits(declared: string, head: Uint8Array): boolean {
  const family = familyOf(declared);
  return !families.has(family) || familyOf(typeByContent(head) ?? "") === family;
}

function familyOf(type: string): string {
  if (type === "video/quicktime") return "video/mp4";
  return type === "image/pjpeg" ? "image/jpeg" : type;
}

type Mark = readonly [offset: number, bytes: Buffer];

/** HEIC, AVIF and M4A use the same container. */
const filmBrands = [
  ...["isom", "iso2", "iso3", "iso4", "iso5", "iso6"],
  ...["mp41", "mp42", "avc1", "M4V ", "dash", "MSNV", "qt  "],
];

const signatures: readonly (readonly [type: string, ...marks: Mark[]])[] = [
  ["image/jpeg", [0, Buffer.from([0xff, 0xd8, 0xff])]],
  ["image/png", [0, Buffer.from([0x89, 0x50, 0x4e, 0x47])]],
  ["image/gif", [0, Buffer.from("GIF8")]],
  ["image/webp", [0, Buffer.from("RIFF")], [8, Buffer.from("WEBP")]],
  ["image/bmp", [0, Buffer.from("BM")]],
  ...filmBrands.map((brand): readonly [string, Mark] => ["video/mp4", [4, Buffer.from(`ftyp${brand}`)]]),
  ["video/webm", [0, Buffer.from([0x1a, 0x45, 0xdf, 0xa3])]],
];

const families = new Set(signatures.map(([type]) => type));
