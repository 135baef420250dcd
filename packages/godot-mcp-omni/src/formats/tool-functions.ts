import { ScriptTokens } from "./script-tokens.ts";

export interface ToolFunction {
  readonly name: string;
  /** The text of the `##` comment above it. */
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly line: number;
}

export interface ToolParameter {
  readonly name: string;
  /** `Variant` if none is declared. */
  readonly type: string;
  /** As written; absent if the caller must pass a value. */
  readonly default?: string;
}

/** The public static functions at the top level of a script (names without a leading underscore). */
export function toolFunctionsOf(source: string): readonly ToolFunction[] {
  const found: ToolFunction[] = [];
  const token = new ScriptTokens(source);
  let comment: string[] = [];
  let last = 0;
  while (token.next()) {
    const { line } = token;
    const isTop = token.start === token.lineStart;
    // A comment followed by a blank line is about the script.
    if (line > last + 1) comment = [];
    last = line;
    if (token.kind === "comment" && isTop && token.text().startsWith("##")) {
      comment.push(token.text().slice(2).trim());
      continue;
    }
    const description = comment.join(" ").trim();
    comment = [];
    if (!isTop || token.text() !== "static" || !token.next() || token.text() !== "func") continue;
    if (!token.next() || token.kind !== "word") continue;
    const name = token.text();
    if (!token.next() || token.text() !== "(") continue;
    const parameters = partsUntilClosed(token).map(parameterOf);
    if (!name.startsWith("_")) found.push({ name, description, parameters, line });
  }
  return found;
}

/** The texts between the commas of the bracket that was just opened. */
function partsUntilClosed(token: ScriptTokens): string[] {
  const parts: string[] = [];
  let text = "";
  let depth = 0;
  while (token.next()) {
    const mark = token.text();
    if (token.kind === "comment") continue;
    if (depth === 0 && (mark === ")" || mark === ",")) {
      if (text.trim() !== "") parts.push(text.trim());
      text = "";
      if (mark === ")") break;
      continue;
    }
    if (token.kind === "mark") depth += "([{".includes(mark) ? 1 : ")]}".includes(mark) ? -1 : 0;
    text += token.kind === "mark" && mark !== "=" ? mark : ` ${mark}`;
  }
  return parts;
}

const PARAMETER = /^(\w+)\s*(?::\s*([\w.]+(?:\s*\[[^\]]*\])?))?\s*(?::?\s*=\s*(.*))?$/s;

function parameterOf(text: string): ToolParameter {
  const [, name = text, type, written] = PARAMETER.exec(text) ?? [];
  return {
    name,
    type: type?.replaceAll(" ", "") ?? "Variant",
    ...(written !== undefined && { default: written.trim() }),
  };
}
