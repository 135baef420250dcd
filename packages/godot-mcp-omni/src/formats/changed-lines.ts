/** The lines between the first and the last difference of two texts, and the number of the first one. */
export function changedLines(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return {
    line: start + 1,
    old: old.slice(start, old.length - end),
    now: now.slice(start, now.length - end),
  };
}
