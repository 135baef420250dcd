/** Beyond this, all lines between the first and the last change are shown as changed. */
const MAX_CELLS = 1_000_000;
/** Unchanged lines that are shown around a change. */
const AROUND = 3;

/**
 * The difference between two texts, by lines that begin with a space, `-` or `+`. Unchanged lines far from a change are
 * counted. Undefined if the texts are equal.
 */
export function lineDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(was.length, is.length) && was[start] === is[start]) start++;
  let end = 0;
  while (
    end < Math.min(was.length, is.length) - start &&
    was[was.length - 1 - end] === is[is.length - 1 - end]
  )
    end++;
  const changed = changes(was.slice(start, was.length - end), is.slice(start, is.length - end));
  const kept = (lines: readonly string[]) => lines.map((line) => ` ${line}`);
  return shortened([
    ...kept(was.slice(0, start)),
    ...changed,
    ...kept(was.slice(was.length - end)),
    ...(before.endsWith("\n") === after.endsWith("\n")
      ? []
      : [after.endsWith("\n") ? "+ (a line break at the end)" : "- (the line break at the end)"]),
  ]).join("\n");
}

/** The last line break ends a line and begins none. */
function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function changes(was: readonly string[], is: readonly string[]): readonly string[] {
  if (was.length * is.length > MAX_CELLS)
    return [...was.map((line) => `-${line}`), ...is.map((line) => `+${line}`)];
  const common = commonLengths(was, is);
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < is.length) {
    if (i < was.length && was[i] === is[j]) {
      lines.push(` ${was[i]}`);
      i++;
      j++;
    } else if (i < was.length && (j === is.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`-${was[i]}`);
      i++;
    } else {
      lines.push(`+${is[j]}`);
      j++;
    }
  }
  return lines;
}

/** For each pair of places, the length of the longest common rest. */
function commonLengths(was: readonly string[], is: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: was.length + 1 }, () => new Uint32Array(is.length + 1));
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--) {
      const [row, next] = [rows[i], rows[i + 1]];
      if (row === undefined || next === undefined) continue;
      row[j] = was[i] === is[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
}

function shortened(lines: readonly string[]): readonly string[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => !line.startsWith(" ")),
  );
  const shown: string[] = [];
  let left = 0;
  const count = () => {
    if (left > 0) shown.push(`… ${left} unchanged ${left === 1 ? "line" : "lines"}`);
    left = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (isNear[index] === true) {
      count();
      shown.push(line);
    } else left++;
  }
  count();
  return shown;
}
