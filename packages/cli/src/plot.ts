const LEVELS = "▁▂▃▄▅▆▇█";
const PARTS = "▏▎▍▌▋▊▉";

/**
 * Draws numbers as a line of small columns, the newest on the right. Draws the latest `width` numbers.
 * An unknown number is a gap.
 *
 * ```ts
 * sparkline([1, 2, 4, null, 8]); // "▁▂▄ █"
 * ```
 */
export function sparkline(values: readonly (number | null)[], width = values.length): string {
  const drawn = width < 1 ? [] : values.slice(-width);
  const known = drawn.filter((value) => value !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  return drawn
    .map((value) => {
      if (value === null) return " ";
      // Equal numbers form a line in the middle.
      const share = high === low ? 0.5 : (value - low) / (high - low);
      return LEVELS[Math.round(share * (LEVELS.length - 1))];
    })
    .join("");
}

/**
 * Draws a number as a bar whose full length is `max`. A number above 0 always has a visible bar.
 *
 * ```ts
 * bar(3, 4, 8); // "██████"
 * ```
 */
export function bar(value: number, max: number, width: number): string {
  if (value <= 0 || max <= 0 || width < 1) return "";
  const eighths = Math.max(1, Math.round((Math.min(value, max) / max) * width * 8));
  return `${"█".repeat(Math.floor(eighths / 8))}${PARTS[(eighths % 8) - 1] ?? ""}`;
}
