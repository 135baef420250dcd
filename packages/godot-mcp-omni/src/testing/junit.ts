import type { Failure } from "@toolpact/contract";
import { type Outcome, ok } from "@toolpact/contract/outcome";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { errors } from "../errors.ts";
import type { TestFailure, TestResult, Verdict } from "./test-results.ts";

/** Reads the JUnit XML of GUT and gdUnit4 into results. Files are named as far as the report names them. */
export function readJunit(xml: string): Outcome<TestResult[], Failure<"E_UNSUPPORTED">> {
  const valid = XMLValidator.validate(xml);
  if (valid !== true)
    return errors.fail(
      "E_UNSUPPORTED",
      `The framework wrote a report that is not XML: ${valid.err.msg} (line ${valid.err.line}).`,
      { suggestedFix: "Update the framework's addon." },
    );
  // The parser was told which elements are lists; whatever else there is stays unread.
  const report = parser.parse(xml) as Report;
  return ok((report.testsuites?.testsuite ?? report.testsuite ?? []).flatMap(resultsOf));
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

function resultsOf({ name = "", package: folder = "", testcase = [] }: Suite): TestResult[] {
  const file = [folder, name].map(scriptOf).find((script) => script !== undefined);
  return testcase.map((test) => {
    const broken = (test.error ?? []).map((note) => failureOf(note, file));
    const failed = (test.failure ?? []).map((note) => failureOf(note, file));
    const [skipped] = test.skipped ?? [];
    const failures = [...broken, ...failed];
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
      verdict,
      ...(test.time !== undefined && { durationMs: Math.round(Number(test.time) * 1_000_000) / 1000 }),
      ...(failures.length > 0 && { failures }),
      ...(verdict === "skipped" && skipped !== undefined && { skipped: textOf(skipped) }),
    };
  });
}

/** GUT names suites by script, an inner class behind it: `test/test_hero.gd.Armour`. */
function scriptOf(text: string): string | undefined {
  const script = /^(?:res:\/\/)?(.+?\.gd)(?:\.\w+)?$/.exec(text)?.[1];
  return script === undefined ? undefined : `res://${script}`;
}

/** gdUnit4 writes the place into `message`: `FAILED: res://a_test.gd:12`; GUT behind its text: `at line 12`. */
function failureOf(note: Note, file: string | undefined): TestFailure {
  const text = textOf(note);
  const head = typeof note === "string" ? "" : (note.message ?? "");
  const place = /(res:\/\/.+\.\w+):(\d+)$/.exec(head);
  const line = place?.[2] ?? /at line (-?\d+)\s*$/.exec(text)?.[1];
  const where = place?.[1] ?? file;
  return {
    message: text.replace(/\s*at line -?\d+\s*$/, ""),
    ...(where !== undefined && { file: where }),
    ...(line !== undefined && Number(line) > 0 && { line: Number(line) }),
  };
}

function textOf(note: Note): string {
  if (typeof note === "string") return note.trim();
  return (note["#text"] ?? "").trim() || (note.message ?? "");
}
