import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../packages.ts";
import { tuitbotApproval } from "./tuitbot-approval.ts";

test("the picture of an approval shows the status or error code of each call in a run", async () => {
  const picture = readFileSync(join(root, "docs/pictures/tuitbot-approval.svg"), "utf8");
  const taken = await tuitbotApproval();
  expect(answersIn(taken)).toHaveLength(3);
  expect(answersIn(picture)).toEqual(answersIn(taken));
});

/** Each call with the line below it. */
function answersIn(svg: string): readonly string[] {
  const lines = svg.split("\n").map((line) => line.replace(/<[^>]*>/g, "").trim());
  return lines.flatMap((line, index) => (line.startsWith("agent ›") ? [`${line}\n${lines[index + 1]}`] : []));
}
