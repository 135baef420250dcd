import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GDUNIT4_REPORT, GUT_REPORT } from "../../test/recorded-reports.ts";
import { readJunit } from "./junit.ts";

const HERO = "res://test/test_hero.gd";

describe("a JUnit report", () => {
  it("of GUT names script, inner class, line and message", () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="GutTests" failures="1" tests="3" >
  <testsuite name="test/test_hero.gd" tests="3" failures="1" skipped="1" time="0.2" >
        <testcase name="test_is_hurt" assertions="1" status="fail" classname="test/test_hero.gd" time="0.2" >
    <failure message="failed"><![CDATA[[2] expected to equal [3]:  a < b &amp; c
      at line 12]]></failure></testcase>
        <testcase name="test_later" assertions="0" status="pending" classname="test/test_hero.gd" time="0.0" >
    <skipped message="pending"><![CDATA[no sword yet]]></skipped></testcase>
        <testcase name="test_looks" assertions="0" status="no asserts" classname="test/test_hero.gd" time="0.0" >
    </testcase>
  </testsuite>
  <testsuite name="test/test_hero.gd.TestArmour" tests="1" failures="0" skipped="0" time="0.001" >
        <testcase name="test_is_hurt" assertions="1" status="pass" classname="test/test_hero.gd.TestArmour" time="0.001" >
    </testcase>
  </testsuite>
  <testsuite name="test/test_skipped.gd" tests="0" failures="0" skipped="0" time="0.0" >
      </testsuite>
</testsuites>`;
    const known = [
      { file: HERO, test: "test_is_hurt", line: 9 },
      { file: HERO, test: "test_is_hurt", line: 30, innerClass: "TestArmour" },
    ];
    const about = { suite: "test/test_hero.gd", file: HERO };
    expect(readJunit(xml, known)).toEqual({
      ok: true,
      value: {
        scripts: [HERO, "res://test/test_skipped.gd"],
        results: [
          {
            ...about,
            case: "test_is_hurt",
            line: 9,
            verdict: "failed",
            durationMs: 200,
            failures: [{ message: "[2] expected to equal [3]:  a < b &amp; c", file: HERO, line: 12 }],
          },
          { ...about, case: "test_later", verdict: "skipped", durationMs: 0, skipped: "no sword yet" },
          { ...about, case: "test_looks", verdict: "skipped", durationMs: 0, skipped: "It asserts nothing." },
          {
            suite: "test/test_hero.gd.TestArmour",
            case: "test_is_hurt",
            file: HERO,
            line: 30,
            verdict: "passed",
            durationMs: 1,
          },
        ],
      },
    });
  });

  it("of gdUnit4 names folder and suite, and the place in the message", () => {
    const suite = (folder: string, cases: string) =>
      `\t<testsuite id="0" name="hero_test" package="${folder}" timestamp="2026-01-01T00:00:00" hostname="localhost" tests="3" failures="1" errors="1" skipped="0" flaky="0" time="0.500">\n${cases}\t</testsuite>\n`;
    const xml = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites id="2026-01-01" name="report_1" tests="4" failures="1" skipped="0" flaky="0" time="0.500">
${suite(
  "test",
  `<testcase name="test_is_hurt" classname="hero_test" time="0.125">
<failure message="FAILED: res://test/hero_test.gd:9" type="FAILURE">
<![CDATA[
Expecting:
 '3'
 but was
 '2'
]]>
</failure>
</testcase>
<testcase name="test_a:0 (&quot;b&quot;)" classname="hero_test" time="0.000">
<error message="ERROR: res://test/hero_test.gd:-1" type="INTERUPTED">
<![CDATA[
Timed out
]]>
</error>
</testcase>
`,
)}${suite("", '<testcase name="test_fine" classname="hero_test" time="0.001">\n</testcase>\n')}</testsuites>`;
    const known = [
      { file: "res://hero_test.gd", test: "test_fine", line: 3 },
      { file: "res://test/hero_test.gd", test: "test_fine", line: 20 },
      { file: "res://test/hero_test.gd", test: "test_a", line: 11 },
    ];
    expect(readJunit(xml, known)).toMatchObject({
      ok: true,
      value: {
        results: [
          {
            suite: "hero_test",
            file: "res://test/hero_test.gd",
            verdict: "failed",
            durationMs: 125,
            failures: [{ message: "Expecting:\n '3'\n but was\n '2'", line: 9 }],
          },
          {
            case: 'test_a:0 ("b")',
            line: 11,
            verdict: "error",
            failures: [{ message: "Timed out", file: "res://test/hero_test.gd" }],
          },
          { case: "test_fine", verdict: "passed", file: "res://hero_test.gd", line: 3 },
        ],
      },
    });
  });

  it("that the frameworks wrote is read: who failed where, without the place in the words", () => {
    const verdicts = (xml: string, file: string) => {
      const read = readJunit(xml, [{ file, test: "test_is_wrong", line: 6 }]);
      if (!read.ok) throw new Error(read.failure.message);
      return read.value.results.map(({ case: name, verdict, failures, skipped }) => [
        name,
        verdict,
        failures?.[0] ?? skipped,
      ]);
    };
    const sum = "res://test/test_sum.gd";
    expect(verdicts(GUT_REPORT, sum)).toEqual([
      ["test_adds", "passed", undefined],
      ["test_is_wrong", "failed", { message: "[4] expected to equal [5]:", file: sum, line: 7 }],
      ["test_is_for_later", "skipped", "not written yet"],
      ["test_says_nothing", "skipped", "It asserts nothing."],
    ]);
    const file = "res://test/sum_test.gd";
    const skipped = `\t\t<testcase name="test_later" classname="sum_test" time="0.000">
\t\t\t<skipped message="SKIPPED: res://test/sum_test.gd:12">
<![CDATA[
This test is skipped!
  Reason: 'not today'
]]>
\t\t\t</skipped>
\t\t</testcase>
\t</testsuite>`;
    expect(verdicts(GDUNIT4_REPORT.replace("\t</testsuite>", skipped), file)).toEqual([
      ["test_adds", "passed", undefined],
      ["test_is_wrong", "failed", { message: "Expecting:\n 5\n but was\n 4", file, line: 7 }],
      ["test_later", "skipped", "This test is skipped!\n  Reason: 'not today'"],
    ]);
  });

  it.each([
    ["wrapped", (text: string) => `<![CDATA[${text}]]>`],
    ["bare, as old GUT wrote it", (text: string) => text],
  ])("tells every message as the framework wrote it, %s", (_, wrap) => {
    const message = fc
      .oneof(fc.string({ minLength: 1 }), fc.constantFrom("<null> & ]]> more", "<a></a>"))
      .filter((text) => text.trim() === text && text !== "" && !text.includes("</failure>"));
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), (messages) => {
        const cases = messages.map(
          (text, index) =>
            `<testcase name="test_${index}" time="0.1" ><failure message="failed">${wrap(`${text}\n      at line ${index + 1}`)}</failure></testcase>`,
        );
        const read = readJunit(
          `<?xml version="1.0"?><testsuites><testsuite name="test_a.gd">${cases.join("")}</testsuite></testsuites>`,
          [],
        );
        const failed = read.ok ? read.value.results.map(({ failures }) => failures?.[0]) : [];
        expect(failed).toEqual(
          messages.map((text, index) => ({ message: text, file: "res://test_a.gd", line: index + 1 })),
        );
      }),
    );
  });

  it("of long messages is read as fast as a file of their length", () => {
    for (const long of ["\t", "\n", "\n at '", "res://.a", "at line 1 "]) {
      const message = `${long.repeat(200_000)}x`;
      const xml = `<testsuites name="GutTests"><testsuite name="test/test_hero.gd"><testcase name="test_a" classname="test/test_hero.gd"><failure message="${long.repeat(100_000)}"><![CDATA[${message}]]></failure></testcase></testsuite></testsuites>`;
      expect(readJunit(xml, [])).toMatchObject({
        value: { results: [{ failures: [{ message: message.trim() }] }] },
      });
    }
  });

  it("without a test is empty, and one that is no XML is refused", () => {
    expect(readJunit('<?xml version="1.0"?><testsuites name="GutTests"></testsuites>', [])).toEqual({
      ok: true,
      value: { results: [], scripts: [] },
    });
    expect(readJunit("<testsuites><testsuite name='a'>x < y</testsuites>", [])).toMatchObject({
      ok: false,
      failure: { code: "E_UNSUPPORTED", message: expect.stringContaining("not XML") },
    });
  });
});
