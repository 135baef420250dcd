import { join } from "node:path/posix";
import { ok } from "@toolpact/outcome";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { errors, type Result } from "../errors.ts";
import type { FoundTest } from "./find-tests.ts";
import type { TestFailure, TestResult, Verdict } from "./test-results.ts";

/** The contents of a report. */
export interface FrameworkReport {
  readonly results: readonly TestResult[];
  /** Scripts that it names, including those without a test that ran. */
  readonly scripts: readonly string[];
}

/** Reads the JUnit XML of GUT and gdUnit4, matched with the known tests. */
export function readJunit(
  xml: string,
  known: readonly FoundTest[],
): Result<FrameworkReport, "E_UNSUPPORTED"> {
  const text = escaped(xml);
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    return errors.fail(
      "E_UNSUPPORTED",
      `The framework wrote a report that is not XML: ${valid.err.msg} (line ${valid.err.line}).`,
      { suggestedFix: "Update the framework's addon." },
    );
  // The parser knows which elements are lists; other elements are ignored.
  const report = parser.parse(text) as Report;
  const suites = report.testsuites?.testsuite ?? report.testsuite ?? [];
  const results = suites.flatMap((suite) => resultsOf(suite, known));
  const scripts = suites.flatMap(({ name = "" }) => scriptOf(name)?.file ?? []);
  return ok({ results, scripts: [...new Set([...scripts, ...results.flatMap(({ file }) => file ?? [])])] });
}

/**
 * Test output is not escaped in reports: older versions of GUT did not use CDATA, and neither framework escapes
 * the end of a CDATA section inside.
 */
function escaped(xml: string): string {
  return xml.replace(
    /(<(failure|error|skipped) message="[^"]*"[^>]*>)([\s\S]*?)(<\/\2>)(?=\s*<)/g,
    (_, start: string, _name: string, text: string, end: string) => {
      const said = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(text)?.[1] ?? text;
      return `${start}<![CDATA[${said.replaceAll("]]>", "]]]]><![CDATA[>")}]]>${end}`;
    },
  );
}

interface Report {
  readonly testsuites?: { readonly testsuite?: readonly Suite[] };
  readonly testsuite?: readonly Suite[];
}

interface Suite {
  readonly name?: string;
  readonly package?: string;
  readonly testcase?: readonly Case[];
}

interface Case {
  readonly name?: string;
  /** GUT's word for how it ended. */
  readonly status?: string;
  readonly time?: string;
  readonly failure?: readonly Note[];
  readonly error?: readonly Note[];
  readonly skipped?: readonly Note[];
}

type Note = string | { readonly message?: string; readonly "#text"?: string };

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  isArray: (name) => ["testsuite", "testcase", "failure", "error", "skipped"].includes(name),
});

/** Statuses of GUT besides passed, failed and pending. */
const NOT_TESTED: Readonly<Record<string, string>> = {
  "no asserts": "It asserts nothing.",
  skipped: "GUT skipped it on request.",
  "not run": "GUT did not run it.",
};

function resultsOf(suite: Suite, known: readonly FoundTest[]): TestResult[] {
  const { name = "", testcase = [] } = suite;
  const script = scriptOf(name);
  return testcase.map((test) => {
    const found = known.find(
      (each) =>
        each.test === functionOf(test.name ?? "") &&
        (script === undefined
          ? isSuite(suite, each.file)
          : each.file === script.file && each.innerClass === script.innerClass),
    );
    const file = script?.file ?? found?.file;
    const broken = (test.error ?? []).map((note) => failureOf(note, file));
    const failed = (test.failure ?? []).map((note) => failureOf(note, file));
    const failures = [...broken, ...failed];
    const skipped = test.skipped?.map(textOf)[0] ?? NOT_TESTED[test.status ?? ""];
    const verdict: Verdict =
      broken.length > 0
        ? "error"
        : failed.length > 0
          ? "failed"
          : skipped === undefined
            ? "passed"
            : "skipped";
    const where = file ?? failures[0]?.file;
    return {
      suite: name,
      case: test.name ?? "",
      ...(where !== undefined && { file: where }),
      ...(found !== undefined && { line: found.line }),
      verdict,
      ...(test.time !== undefined && { durationMs: Math.round(Number(test.time) * 1_000_000) / 1000 }),
      ...(failures.length > 0 && { failures }),
      ...(verdict === "skipped" && { skipped }),
    };
  });
}

/** A parameterized test has its parameters after its name. */
export function functionOf(testCase: string): string {
  return /^\w+/.exec(testCase)?.[0] ?? testCase;
}

/** GUT names suites by script, followed by the inner class: `test/test_hero.gd.TestArmour`. */
function scriptOf(
  suite: string,
): { readonly file: string; readonly innerClass: string | undefined } | undefined {
  const [, script, innerClass] = /^(?:res:\/\/)?(.+?\.gd)(?:\.(\w+))?$/.exec(suite) ?? [];
  return script === undefined ? undefined : { file: `res://${script}`, innerClass };
}

/** gdUnit4 names a suite by its folder, `test`, and its script without the extension, `hero_test`. */
function isSuite({ name = "", package: folder = "" }: Suite, file: string): boolean {
  return file === `res://${join(folder, `${name}.gd`)}`;
}

/**
 * gdUnit4 writes the location into `message`: `FAILED: res://a_test.gd:12`, and the call stack after its text; GUT
 * after its text: `at line 12`.
 */
function failureOf(note: Note, file: string | undefined): TestFailure {
  const text = textOf(note);
  const head = typeof note === "string" ? "" : (note.message ?? "");
  const lastLine = head.slice(head.lastIndexOf("\n") + 1);
  const place = /^(res:\/\/.+\.\w+):(\d+)$/.exec(lastLine.slice(Math.max(0, lastLine.indexOf("res://"))));
  const line = place?.[2] ?? /at line (-?\d+)\s*$/.exec(text)?.[1];
  const where = place?.[1] ?? file;
  return {
    message: text
      // Looking behind keeps a search in a long run of spaces from starting at each of them.
      .replace(/(?<!\s)\s*at line -?\d+\s*$/, "")
      .replace(/(?<!\s)(?=[^\S\n]*\n)\s*at '[^'\n]*' in (\S+)\s*$/, (frame, at, from: number, all: string) =>
        place !== null &&
        at === `${place[1]}:${place[2]}` &&
        !/(?<!\s)(?=[^\S\n]*\n)\s*at '/.test(all.slice(0, from))
          ? ""
          : frame,
      ),
    ...(where !== undefined && { file: where }),
    ...(line !== undefined && Number(line) > 0 && { line: Number(line) }),
  };
}

function textOf(note: Note): string {
  if (typeof note === "string") return note.trim();
  return (note["#text"] ?? "").trim() || (note.message ?? "");
}
