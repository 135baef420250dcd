import type { Json } from "../json.ts";

/**
 * A text in which nothing hides: whatever is invisible, turns the direction of writing or moves the cursor is written
 * out as its number, such as `\u{202e}`. Ends of lines and tabs stay.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll(HIDDEN, (hidden) =>
      hidden === "\n" || hidden === "\t" ? hidden : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    );
}

/** The JSON of a value for a person to read, with nothing hidden in it. */
export function visibleJson(value: Json | undefined): string {
  return visible(JSON.stringify(value, null, 2) ?? "");
}

/**
 * Controls but tab and end of line, formats (which hold marks of direction, joiners and the tags that spell invisible
 * text), separators but the ordinary space, variation selectors, private characters, and letters that show nothing.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;
