/** Random numbers from 0 to 1 that a seed repeats. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  "[",
  "]",
  '"',
  "=",
  "\\",
  "\n",
  "\r\n",
  "\u0000",
  ";",
  "{",
  "}",
  "(",
  ")",
  "é",
  "😀",
  "..",
  "/",
  "%",
  "1e999",
  "-",
  "NaN",
  "null",
  "ExtResource(",
  'SubResource("x")',
  'NodePath("../..")',
  '[node name="X" parent="Nope"]\n',
  "[sub_resource]\n",
  "[editable]\n",
  '[connection signal="a"]\n',
];

/** A text with a few random cuts, copies and insertions. */
export function mutated(text: string, random: () => number): string {
  const below = (count: number) => Math.floor(random() * count);
  let made = text;
  for (let change = 1 + below(4); change > 0; change--) {
    const at = below(made.length + 1);
    const until = Math.min(made.length, at + below(40));
    const kind = below(4);
    if (kind === 0) made = made.slice(0, at) + made.slice(until);
    else if (kind === 1) made = made.slice(0, at) + (PIECES[below(PIECES.length)] ?? "") + made.slice(at);
    else if (kind === 2) made = made.slice(0, until) + made.slice(at, until) + made.slice(until);
    else made = made.slice(0, at);
  }
  return made;
}
