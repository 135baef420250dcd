import { CHECKS, type CheckName, type ClientReport } from "./check-client.ts";

export interface TestedClient {
  readonly title: string;
  readonly version: string;
  readonly report: ClientReport;
}

const NAMES = Object.keys(CHECKS) as CheckName[];

/** One row for each client, with the failed checks shown as they are. */
export function tableOf(tested: readonly TestedClient[]): string {
  const heading = ["client", "version", ...NAMES.map((name) => CHECKS[name])];
  const rows = tested.map(({ title, version, report }) => [
    title,
    version,
    ...NAMES.map((name) => {
      const checked = report.checks[name];
      if (checked === undefined) return "not tried";
      return checked.passed ? checked.remark : "**no**";
    }),
  ]);
  return [heading, heading.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const PLACE = /(<!-- tested clients -->\n)[\s\S]*?(<!-- end of tested clients -->)/;

export function replaceTable(page: string, table: string): string {
  if (!PLACE.test(page)) throw new Error("docs/install.md has no place for the tested clients.");
  return page.replace(PLACE, (_, before: string, after: string) => `${before}${table}\n${after}`);
}
