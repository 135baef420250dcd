import { type Operation, prices } from "@toolpact/x-api/operations";
import type { Answer } from "../answer.ts";
import { utcDay, utcMonth } from "../clock.ts";

/** What one request cost. */
export interface LedgerEntry {
  readonly requestId: string;
  readonly at: number;
  readonly operation: string;
  readonly lines: readonly LedgerLine[];
  readonly usd: number;
}

export interface LedgerLine {
  readonly priceClass: string;
  /** Things returned, or 1 for a request. */
  readonly count: number;
  /** How many of them cost something; the rest had been paid for that UTC day. */
  readonly billed: number;
  readonly usdEach: number;
}

/** The money and the monthly cap of the account that pays, in one book. */
export class Ledger {
  readonly #entries: LedgerEntry[] = [];
  readonly #paidToday = new Set<string>();
  readonly #postsReadByDay = new Map<string, number>();
  #today = "";
  #microUsd: number;
  monthlyPostCap: number = prices.monthlyPostReads;

  constructor(usd: number) {
    this.#microUsd = micro(usd);
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  /** Below zero when the last request cost more than there was. */
  get balanceUsd(): number {
    return this.#microUsd / 1e6;
  }

  set balanceUsd(usd: number) {
    this.#microUsd = micro(usd);
  }

  /** Posts read on each UTC day, for X's usage report. */
  get postsReadByDay(): ReadonlyMap<string, number> {
    return this.#postsReadByDay;
  }

  postsReadInMonth(now: number): number {
    const month = utcMonth(now);
    let sum = 0;
    for (const [day, count] of this.#postsReadByDay) if (day.startsWith(month)) sum += count;
    return sum;
  }

  /** Books a successful answer and says what it cost. Reads cost per thing returned, once per thing and UTC day. */
  charge(requestId: string, operation: Operation, answer: Answer, owned: boolean, now: number): number {
    if (answer.status >= 400) return 0;
    this.#turnDay(now);
    const lines = [
      ...this.#requestLine(answer.priceClass ?? operation.price),
      ...this.#readLines(operation, answer, owned, now),
    ];
    const cost = lines.reduce((sum, line) => sum + line.billed * micro(line.usdEach), 0);
    this.#microUsd -= cost;
    if (lines.length > 0)
      this.#entries.push({ requestId, at: now, operation: operation.id, lines, usd: cost / 1e6 });
    return cost / 1e6;
  }

  #requestLine(priceClass: string | undefined): LedgerLine[] {
    const usdEach = prices.perRequest[priceClass ?? ""];
    return usdEach === undefined || priceClass === undefined
      ? []
      : [{ priceClass, count: 1, billed: 1, usdEach }];
  }

  #readLines(operation: Operation, answer: Answer, owned: boolean, now: number): LedgerLine[] {
    const { reads } = answer;
    if (reads === undefined) return [];
    const lines: LedgerLine[] = [];
    if (operation.price !== undefined)
      lines.push(...this.#line(operation.price, reads.primary, owned ? prices.ownedRead : undefined));
    lines.push(...this.#line("posts_read", reads.posts), ...this.#line("user_read", reads.users));
    const posts = reads.posts.length + (operation.price === "posts_read" ? reads.primary.length : 0);
    this.#postsReadByDay.set(utcDay(now), (this.#postsReadByDay.get(utcDay(now)) ?? 0) + posts);
    return lines;
  }

  #line(priceClass: string, ids: readonly string[], lowerPrice?: number): LedgerLine[] {
    const usdEach = lowerPrice ?? prices.perResource[priceClass];
    if (usdEach === undefined || ids.length === 0) return [];
    let billed = 0;
    for (const id of ids) {
      const name = `${priceClass} ${id}`;
      if (this.#paidToday.has(name)) continue;
      this.#paidToday.add(name);
      billed++;
    }
    return [{ priceClass, count: ids.length, billed, usdEach }];
  }

  #turnDay(now: number): void {
    const today = utcDay(now);
    if (today === this.#today) return;
    this.#today = today;
    this.#paidToday.clear();
  }
}

/** Money is kept in millionths of a dollar, so that sums stay exact. */
function micro(usd: number): number {
  return Math.round(usd * 1e6);
}
