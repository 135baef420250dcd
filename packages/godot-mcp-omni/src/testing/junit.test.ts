import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJunit } from "./junit.ts";

describe("a JUnit report", () => {
  it("of GUT names script, line and message", () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="GutTests" failures="1" tests="3">
  <testsuite name="test/test_hero.gd" tests="2" failures="1" skipped="1" time="0.25">
    <testcase name="test_is_hurt" assertions="1" status="fail" classname="test/test_hero.gd" time="0.2">
<failure message="failed"><![CDATA[[2] expected to equal [3]:  a < b &amp; c
      at line 12]]></failure></testcase>
    <testcase name="test_later" assertions="0" status="pending" classname="test/test_hero.gd" time="0.0">
<skipped message="pending"><![CDATA[no sword yet]]></skipped></testcase>
  </testsuite>
  <testsuite name="res://test/test_hero.gd.Armour" tests="1" failures="0" skipped="0" time="0.001">
    <testcase name="test_blocks" assertions="1" status="pass" classname="test/test_hero.gd.Armour" time="0.001"></testcase>
  </testsuite>
</testsuites>`;
    expect(readJunit(xml)).toEqual({
      ok: true,
      value: [
        {
          suite: "test/test_hero.gd",
          case: "test_is_hurt",
          file: "res://test/test_hero.gd",
          verdict: "failed",
          durationMs: 200,
          failures: [
            {
              message: "[2] expected to equal [3]:  a < b &amp; c",
              file: "res://test/test_hero.gd",
              line: 12,
            },
          ],
        },
        {
          suite: "test/test_hero.gd",
          case: "test_later",
          file: "res://test/test_hero.gd",
          verdict: "skipped",
          durationMs: 0,
          skipped: "no sword yet",
        },
        {
          suite: "res://test/test_hero.gd.Armour",
          case: "test_blocks",
          file: "res://test/test_hero.gd",
          verdict: "passed",
          durationMs: 1,
        },
      ],
    });
  });

  it("of gdUnit4 names the suite, and the place in the message", () => {
    const xml = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites id="2026-01-01" name="report_1" tests="3" failures="1" time="0.5">
<testsuite id="0" name="HeroTest" package="res://test/hero_test.gd" timestamp="2026-01-01T00:00:00" hostname="localhost" tests="3" failures="1" errors="1" skipped="0" time="0.5">
<testcase name="test_is_hurt" classname="HeroTest" time="0.125">
<failure message="FAILED: res://test/hero_test.gd:9" type="FAILURE">
<![CDATA[
Expecting:
 '3'
 but was
 '2'
]]>
</failure>
</testcase>
<testcase name="test_a &quot;b&quot;" classname="HeroTest" time="0.000">
<error message="ERROR: res://hero.gd:4" type="ABORT">
<![CDATA[
Timed out
]]>
</error>
</testcase>
<testcase name="test_fine" classname="HeroTest" time="0.001">
</testcase>
</testsuite>
</testsuites>`;
    expect(readJunit(xml)).toMatchObject({
      ok: true,
      value: [
        {
          suite: "HeroTest",
          file: "res://test/hero_test.gd",
          verdict: "failed",
          durationMs: 125,
          failures: [{ message: "Expecting:\n '3'\n but was\n '2'", line: 9 }],
        },
        {
          case: 'test_a "b"',
          verdict: "error",
          failures: [{ message: "Timed out", file: "res://hero.gd", line: 4 }],
        },
        { case: "test_fine", verdict: "passed" },
      ],
    });
  });

  it("tells every message as the framework wrote it", () => {
    const message = fc
      .string({ minLength: 1 })
      .filter((text) => text.trim() === text && !text.includes("]]>"));
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), (messages) => {
        const cases = messages.map(
          (text, index) =>
            `<testcase name="test_${index}" time="0.1" ><failure message="failed"><![CDATA[${text}\n      at line ${index + 1}]]></failure></testcase>`,
        );
        const read = readJunit(
          `<?xml version="1.0"?><testsuites><testsuite name="test_a.gd">${cases.join("")}</testsuite></testsuites>`,
        );
        const told = read.ok ? read.value.map(({ failures }) => failures?.[0]) : [];
        expect(told).toEqual(
          messages.map((text, index) => ({ message: text, file: "res://test_a.gd", line: index + 1 })),
        );
      }),
    );
  });

  it("without a test is empty, and one that is no XML is refused", () => {
    expect(readJunit('<?xml version="1.0"?><testsuites name="GutTests"></testsuites>')).toEqual({
      ok: true,
      value: [],
    });
    expect(readJunit("<testsuites><testsuite name='a'>x < y</testsuites>")).toMatchObject({
      ok: false,
      failure: { code: "E_UNSUPPORTED", message: expect.stringContaining("not XML") },
    });
  });
});
