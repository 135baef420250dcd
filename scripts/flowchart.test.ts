import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flowchartSvg } from "../.vitepress/flowchart.ts";
import { packageDiagram } from "./package-diagram.ts";
import { root } from "./packages.ts";

const count = (svg: string | undefined, part: string) => (svg ?? "").split(part).length - 1;

test("the site draws every diagram of the docs", () => {
  const pages = ["*.md", "docs/**/*.md", "packages/*/README.md"].flatMap((pattern) =>
    globSync(pattern, { cwd: root }),
  );
  const diagrams = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/```mermaid\n([\s\S]*?)```/g)].map(
      ([, text = ""]) => text,
    ),
  );
  expect(diagrams.length).toBeGreaterThan(3);
  for (const diagram of diagrams)
    expect(count(flowchartSvg(diagram), "marker-end"), diagram).toBe(count(diagram, "-->"));
});

test("a diagram has its labels, a box per node, and an arrow back for a circle", () => {
  const svg = flowchartSvg(
    'flowchart LR\n  a["first<br>a & b"] --> b("second") -->|then| c\n  c -->|again| a\n',
  );
  for (const text of [">first<", ">a &#38; b<", ">second<", ">then<", ">c<", ">again<"])
    expect(svg).toContain(text);
  expect([count(svg, "<rect"), count(svg, "marker-end")]).toEqual([3, 3]);
});

test("another kind of diagram stays text", () => {
  expect(flowchartSvg("sequenceDiagram\n  a->>b: hi")).toBeUndefined();
});

test("a package is drawn above everything that it imports, and implied arrows are left out", () => {
  const svg = flowchartSvg(packageDiagram()) ?? "";
  const top = (name: string) => Number(new RegExp(` y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]);
  expect(top("tuitbot")).toBeLessThan(top("@toolpact/contract"));
  expect(top("@toolpact/contract")).toBeLessThan(top("@toolpact/outcome"));
  expect(packageDiagram()).toContain("tuitbot --> contract");
  expect(packageDiagram()).not.toContain("tuitbot --> outcome");
});
