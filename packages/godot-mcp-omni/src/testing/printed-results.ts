import type { FoundTest } from "./find-tests.ts";
import type { TestResult, Verdict } from "./test-results.ts";

/** `Run Test: res://test/a.gd > test_a :PASSED 3ms`; newer versions of gdUnit4 omit the first words and the colon. */
const ENDED =
  /^\s*(?:Run Test: )?(res:\/\/\S+\.gd) > (\S.*?)\s*:?\s*(PASSED|FAILED|SKIPPED|ERROR)\b(?:\s*(\d+)ms)?/;

/** The line after a failure report: another test, or the totals of the suite. */
const NEXT = /^\s*(?:Run Test|res:\/\/\S+\.gd > |\||Statistics)/;

const VERDICTS: Readonly<Record<string, Verdict>> = {
  PASSED: "passed",
  FAILED: "failed",
  SKIPPED: "skipped",
  ERROR: "error",
};

/** Results that gdUnit4 printed while it ran, for a run that left no report. */
export function printedResults(lines: readonly string[], known: readonly FoundTest[]): TestResult[] {
  const results: TestResult[] = [];
  for (const [index, line] of lines.entries()) {
    const [, file = "", name = "", word = "", ms] = ENDED.exec(line) ?? [];
    const verdict = VERDICTS[word];
    if (verdict === undefined) continue;
    const found = known.find((each) => each.file === file && each.test === name);
    const message = reportAfter(lines.slice(index + 1));
    results.push({
      suite: file,
      case: name,
      file,
      ...(found && { line: found.line }),
      verdict,
      ...(ms !== undefined && { durationMs: Number(ms) }),
      ...(verdict === "skipped" && { skipped: message || "gdUnit4 skipped it." }),
      ...((verdict === "failed" || verdict === "error") && { failures: [failureOf(file, message)] }),
    });
  }
  return results;
}

/** The lines below `Report:`. */
function reportAfter(lines: readonly string[]): string {
  const [first = "", ...rest] = lines;
  if (first.trim() !== "Report:") return "";
  const end = rest.findIndex((line) => NEXT.test(line));
  return rest
    .slice(0, end === -1 ? 20 : end)
    .map((line) => line.trim())
    .join("\n");
}

/** A report begins with its location: `line 7: Expecting: …`. */
function failureOf(file: string, message: string) {
  const [, line, text = message] = /^line (\d+): ([\s\S]*)$/.exec(message) ?? [];
  return {
    message: text || "gdUnit4 printed no reason.",
    file,
    ...(line !== undefined && { line: Number(line) }),
  };
}
