import { expect, test } from "vitest";
import { recordTerminal } from "./record-terminal.ts";

function linesOf(svg: string): string[] {
  return [...svg.matchAll(/<text x="18"[^>]*>(.*)<\/text>/g)].map(([, spans = ""]) =>
    spans.replace(/<[^>]*>/g, ""),
  );
}

const step = (text: string) => ({
  who: "you",
  line: "say it",
  run: async (screen: (text: string) => void) => screen(text),
});

test("the output of the steps is on the screen, in order", async () => {
  const svg = await recordTerminal({ title: "A & B", columns: 40, steps: [step("one\n"), step("two\n")] });
  expect(linesOf(svg)).toEqual(["you › say it", "one", "", "you › say it", "two"]);
  expect(svg).toContain("<title>A &amp; B</title>");
});

test("a long line wraps, and XML characters are escaped", async () => {
  const svg = await recordTerminal({ title: "", columns: 12, steps: [step("a < b & c > d, and on")] });
  expect(linesOf(svg)).toEqual(["you › say it", "a &lt; b &amp; c &gt; ", "d, and on"]);
});

test("colors match the run", async () => {
  const svg = await recordTerminal({
    title: "",
    columns: 40,
    steps: [step("\u001b[31mred\u001b[39m plain \u001b[1mbold\u001b[22m \u001b[2mdim\u001b[0m")],
  });
  expect(svg).toContain('<tspan fill="#ff7b72">red</tspan><tspan fill="#e6edf3"> plain </tspan>');
  expect(svg).toContain('font-weight="bold">bold</tspan>');
  expect(svg).toContain('fill-opacity="0.65">dim</tspan>');
});
