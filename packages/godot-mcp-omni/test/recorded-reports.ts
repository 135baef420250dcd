/**
 * Reports as GUT 9.7.1 and gdUnit4 6.2.2 write them on Godot 4.6, for the tests below; times apart. The stand-ins of both
 * are compared with these, and so is what the server reads.
 */
export const GUT_TESTS = `extends GutTest

func test_adds() -> void:
	assert_eq(1 + 1, 2)

func test_is_wrong() -> void:
	assert_eq(2 + 2, 5)

func test_is_for_later() -> void:
	pending("not written yet")

func test_says_nothing() -> void:
	pass
`;

export const GUT_REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="GutTests" failures="1" tests="4" >
  <testsuite name="test/test_sum.gd" tests="4" failures="1" skipped="1" time="0.000734" >
      <testcase name="test_adds" assertions="1" status="pass" classname="test/test_sum.gd" time="0.000216" >
      </testcase>
      <testcase name="test_is_wrong" assertions="1" status="fail" classname="test/test_sum.gd" time="0.000367" >
      <failure message="failed"><![CDATA[[4] expected to equal [5]:  
            at line 7]]></failure></testcase>
      <testcase name="test_is_for_later" assertions="0" status="pending" classname="test/test_sum.gd" time="0.000151" >
      <skipped message="pending"><![CDATA[not written yet]]></skipped></testcase>
      <testcase name="test_says_nothing" assertions="0" status="no asserts" classname="test/test_sum.gd" time="0.000252" >
      </testcase>
  </testsuite>
</testsuites>`;

export const GDUNIT4_TESTS = `extends GdUnitTestSuite

func test_adds() -> void:
	assert_int(1 + 1).is_equal(2)

func test_is_wrong() -> void:
	assert_int(2 + 2).is_equal(5)
`;

export const GDUNIT4_REPORT = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites id="2026-10-09" name="report_1" tests="2" failures="1" skipped="0" flaky="0" time="0.000">
	<testsuite id="0" name="sum_test" package="test" timestamp="2026-10-08T20:40:28" hostname="localhost" tests="2" failures="1" errors="0" skipped="0" flaky="0" time="0.017">
		<testcase name="test_adds" classname="sum_test" time="0.003">
		</testcase>
		<testcase name="test_is_wrong" classname="sum_test" time="0.003">
			<failure message="FAILED: res://test/sum_test.gd:7" type="FAILURE">
<![CDATA[
Expecting:
 5
 but was
 4
	at 'test_is_wrong' in res://test/sum_test.gd:7
]]>
			</failure>
		</testcase>
	</testsuite>
</testsuites>
`;

/** The same with times and dates left out. */
export function withoutTimes(report: string): string {
  return report.replaceAll(/ (time|timestamp|id)="[\d.:T-]+"/g, ' $1="…"');
}
