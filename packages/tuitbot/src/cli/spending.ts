import type { CommandOutcome, Report } from "@toolpact/cli";
import { isJsonObject } from "@toolpact/contract/internal";
import { formatUsd, microsOf } from "@toolpact/contract/internal/money";
import { failed, ok } from "@toolpact/outcome";
import { priceAfter, type XClient } from "@toolpact/x-api";
import type { Charges } from "../app/spending.ts";
import { objectIn, textIn } from "../x/shapes/x-object.ts";

/** Says in the result of a command what it spent, also where it failed. */
export function withSpending(outcome: CommandOutcome, spent: Charges): CommandOutcome {
  if (spent.usd === 0 && spent.openUsd === 0) return outcome;
  if (!outcome.ok)
    return failed({ ...outcome.failure, message: `${outcome.failure.message} ${chargedLine(spent)}` });
  return outcome.value === undefined ? outcome : ok(reportSpending(outcome.value, spent));
}

/** Says in a report what was spent, in text and in JSON. */
export function reportSpending(report: Report, spent: Charges): Report {
  const usd = Math.round((spent.usd + spent.openUsd) * 1e6) / 1e6;
  if (usd === 0) return report;
  const { text, json } = report;
  return {
    ...report,
    text: `${text}\n${chargedLine(spent)}`.trimStart(),
    ...(isJsonObject(json) && { json: { ...json, spent_usd: usd } }),
  };
}

function chargedLine({ usd, openUsd, isMost }: Charges): string {
  const more =
    openUsd === 0
      ? ""
      : `, and ${formatUsd(microsOf(openUsd))} more if it carried out what it did not answer`;
  return `X charged ${isMost === true ? "at most " : ""}${formatUsd(microsOf(usd))}${more}.`;
}

/** A client that adds up what its requests cost at most by X's price list, for commands that open no database. */
export function countingClient(client: XClient, ownsApp: boolean) {
  let micros = 0;
  let me: string | undefined;
  const billed = new Set<string>();
  const counting: XClient = {
    ...client,
    async call(operation, args = {}) {
      const outcome = await client.call<never>(operation, args);
      // X does not charge for what it refuses.
      if (!outcome.ok) return outcome;
      if (operation === "getUsersMe") me = textIn(objectIn(outcome.value.data), "id");
      const owner = ownsApp && me !== undefined ? { appOwnerId: me } : {};
      const price = priceAfter(operation, args, outcome.value, {
        ...owner,
        billedToday: (resource) => billed.has(resource),
      });
      for (const resource of price.billed) billed.add(resource);
      micros += Math.round(price.usd * 1e6);
      return outcome;
    },
  };
  return { client: counting, spent: (): Charges => ({ usd: micros / 1e6, openUsd: 0, isMost: true }) };
}
