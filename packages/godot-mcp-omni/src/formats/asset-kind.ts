/** The kinds of files that Godot imports without addons and that need no other file, by their endings. */
const KINDS: Readonly<Record<string, (data: Buffer) => boolean>> = {
  png: begins("\x89PNG\r\n\x1a\n"),
  jpg: begins("\xff\xd8\xff"),
  jpeg: begins("\xff\xd8\xff"),
  webp: (data) => begins("RIFF")(data) && text(data, 8, 4) === "WEBP",
  svg: (data) => /^<svg[\s>]/.test(withoutProlog(data.toString("utf8", 0, 65_536))),
  // The second number of a GLB is its version, the third its length.
  glb: (data) =>
    begins("glTF")(data) &&
    data.length >= 12 &&
    data.readUInt32LE(4) === 2 &&
    data.readUInt32LE(8) === data.length,
  wav: (data) => begins("RIFF")(data) && text(data, 8, 4) === "WAVE",
  ogg: begins("OggS"),
  mp3: (data) => begins("ID3")(data) || (data[0] === 0xff && ((data[1] ?? 0) & 0xe0) === 0xe0),
  ttf: (data) => begins("\x00\x01\x00\x00")(data) || begins("true")(data),
  otf: begins("OTTO"),
  woff: begins("wOFF"),
  woff2: begins("wOF2"),
};

export const ASSET_ENDINGS: readonly string[] = Object.keys(KINDS);

export function endingOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** Whether the content is what the ending says; undefined where the ending is none of these. */
export function isOfKind(ending: string, data: Buffer): boolean | undefined {
  return KINDS[ending]?.(data);
}

function begins(magic: string): (data: Buffer) => boolean {
  return (data) => text(data, 0, magic.length) === magic;
}

function text(data: Buffer, from: number, length: number): string {
  return data.toString("latin1", from, from + length);
}

/** What comes after the declaration, comments and document type of an XML text. */
function withoutProlog(xml: string): string {
  const rest = xml.replace(/^\uFEFF/, "").trimStart();
  for (const [open, close] of PROLOG) {
    if (!rest.startsWith(open)) continue;
    const end = rest.indexOf(close);
    return end === -1 ? "" : withoutProlog(rest.slice(end + close.length));
  }
  return rest;
}

const PROLOG = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!DOCTYPE", ">"],
] as const;
