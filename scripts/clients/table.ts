import { CHECKS, type CheckName, type ClientReport } from "./check-client.ts";

export interface TestedClient {
  readonly title: string;
  readonly version: string;
  readonly report: ClientReport;
}

const NAMES = Object.keys(CHECKS) as CheckName[];

/** One column per client and one row per check; failed checks are shown as such. */
export function tableOf(tested: readonly TestedClient[]): string {
  const heading = ["check", ...tested.map(({ title, version }) => `${title} ${version}`)];
  const rows = NAMES.map((name) => [
    CHECKS[name],
    ...tested.map(({ report }) => {
      const checked = report.checks[name];
      if (checked === undefined) return "not tried";
      return checked.passed ? checked.remark : "**no**";
    }),
  ]);
  return [heading, heading.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function sentenceOf(tested: readonly TestedClient[]): string {
  const names = tested.map(({ title, version }) => `${title} ${version}`);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Replaces the text between the marks, which may be in the middle of a line. */
export function replaceTested(page: string, text: string): string {
  if (!PLACE.test(page)) throw new Error("The page has no place for the tested clients.");
  return page.replace(PLACE, (_, before: string, after: string) => `${before}${text}${after}`);
}

const PLACE = /(<!-- tested clients -->\n?)[\s\S]*?(\n?<!-- end of tested clients -->)/;
