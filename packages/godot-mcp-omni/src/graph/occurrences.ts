import { STEP, type Steps } from "../formats/document.ts";
import { ScriptTokens } from "../formats/script-tokens.ts";

/** An occurrence of a name in a script. */
export interface Occurrence {
  readonly line: number;
  /** Offset of the name in the source. */
  readonly start: number;
  readonly end: number;
  /** `member` comes after a point; in a text or comment it may mean something else. */
  readonly as: "word" | "member" | "text" | "comment";
  /** The previous token, such as `func` or `.`. */
  readonly before: string;
  /** For a member: the word before the point, `$` for a node path, empty for any other expression. */
  readonly receiver: string;
  /** For a text: the function that it is an argument of, and the word before its point; undefined without one. */
  readonly call: string;
  readonly callReceiver: string | undefined;
  readonly argument: number;
  readonly isParameter: boolean;
}

interface Bracket {
  /** Meaning of an opening brace: a named enum, an unnamed one, or a dictionary. */
  readonly brace: "enum" | "constants" | "dictionary" | undefined;
  readonly call: string;
  readonly receiver: string | undefined;
  readonly isDeclaration: boolean;
  arguments: number;
}

/** Every occurrence of a name in a script: as a word, as a whole text, or as a word in a comment. */
export function* findingOccurrences(source: string, name: string): Steps<Occurrence[]> {
  const found: Occurrence[] = [];
  const token = new ScriptTokens(source);
  const brackets: Bracket[] = [];
  const inComment = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, "gu");
  let [third, second, last] = ["", "", ""];
  let count = 0;
  while (token.next()) {
    if (count++ % (STEP * 10) === 0) yield;
    const { line } = token;
    const bracket = brackets.at(-1);
    const note = (as: Occurrence["as"], start: number, end: number) =>
      found.push({
        line,
        start,
        end,
        as,
        before: last,
        receiver: as === "member" ? second : "",
        call: as === "text" ? (bracket?.call ?? "") : "",
        callReceiver: bracket?.receiver,
        argument: bracket?.arguments ?? 0,
        isParameter: bracket?.isDeclaration === true && (last === "(" || last === ","),
      });
    if (token.kind === "comment") {
      const text = token.text();
      if (text.includes(name))
        for (const { index } of text.matchAll(inComment))
          note("comment", token.start + index, token.start + index + name.length);
      continue;
    }
    let text = "";
    if (token.kind === "word") {
      text = token.text();
      if (text === name) {
        const isEntry = last === "{" || last === ",";
        // A member of an enum is named after the enum, and a dictionary key is a text.
        if (bracket?.brace === "enum" && isEntry) continue;
        const isKey =
          bracket?.brace === "dictionary" &&
          isEntry &&
          /^\s*=(?!=)/.test(source.slice(token.end, token.end + 20));
        if (bracket?.brace === "constants" && isEntry) last = "const";
        note(isKey ? "text" : last === "." ? "member" : "word", token.start, token.end);
      }
    } else if (token.kind === "mark") {
      text = source[token.start] ?? "";
      if (text === "(" || text === "[" || text === "{")
        brackets.push({
          brace:
            text !== "{"
              ? undefined
              : second === "enum"
                ? "enum"
                : last === "enum"
                  ? "constants"
                  : "dictionary",
          call: text === "(" ? last : "",
          receiver: second === "." ? third : undefined,
          isDeclaration: text === "(" && (second === "func" || last === "func" || second === "signal"),
          arguments: 0,
        });
      else if (text === ")" || text === "]" || text === "}") brackets.pop();
      else if (text === "," && bracket !== undefined) bracket.arguments++;
    } else if (token.kind === "text") {
      const { from, to } = token.inside();
      if (to - from === name.length && source.startsWith(name, from)) note("text", from, to);
      text = '"';
    } else text = token.kind === "path" ? "$" : "0";
    third = second;
    second = last;
    last = text;
  }
  return found;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The types of a script's variables and parameters; undefined for a name with several types. */
export function* findingTypes(source: string): Steps<ReadonlyMap<string, string | undefined>> {
  const types = new Map<string, string | undefined>();
  const token = new ScriptTokens(source);
  const brackets: string[] = [];
  const note = (name: string | undefined, type: string | undefined) => {
    if (name === undefined || !/^\w/.test(name)) return;
    types.set(name, types.has(name) && types.get(name) !== type ? undefined : type);
  };
  /** The previous tokens, the last one first. */
  let before: string[] = [];
  let count = 0;
  while (token.next()) {
    if (count++ % (STEP * 10) === 0) yield;
    if (token.kind === "comment") continue;
    const text = token.kind === "word" || token.kind === "mark" ? token.text() : "";
    if (text === "(" || text === "[" || text === "{") brackets.push(text);
    else if (text === ")" || text === "]" || text === "}") brackets.pop();
    // `enemy: Enemy`, but not in a dictionary
    else if (token.kind === "word" && before[0] === ":" && brackets.at(-1) !== "{") note(before[1], text);
    // `enemy := Enemy.new()`
    else if (text === "new" && before[0] === "." && before[2] === "=")
      note(before[3] === ":" ? before[4] : before[3], before[1]);
    before = [text, ...before.slice(0, 4)];
  }
  return types;
}
