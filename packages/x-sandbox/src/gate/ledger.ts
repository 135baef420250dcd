import { type Operation, prices } from "@toolpact/x-api/operations";
import { day, utcDay } from "../clock.ts";
import type { Answer } from "../http/answer.ts";

export interface LedgerEntry {
  readonly requestId: string;
  readonly at: number;
  readonly operation: string;
  readonly lines: readonly LedgerLine[];
  readonly usd: number;
}

export interface LedgerLine {
  readonly priceClass: string;
  /** 1 for a request. */
  readonly count: number;
  /** The rest were paid for on that UTC day. */
  readonly billed: number;
  readonly usdEach: number;
}

/** Credits and monthly cap of the paying account. */
export class Ledger {
  #entries: LedgerEntry[] = [];
  /** Ids by price class. */
  readonly #paidToday = new Map<string, Set<string>>();
  readonly #postsReadByDay = new Map<string, number>();
  #dayNumber = Number.NaN;
  #today = "";
  #postsThisMonth = 0;
  #microUsd: number;
  monthlyPostCap: number = prices.monthlyPostReads;

  constructor(usd: number) {
    this.#microUsd = micro(usd);
  }

  /** Oldest first. */
  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  /** Negative if the last request overdrew. */
  get balanceUsd(): number {
    return this.#microUsd / 1e6;
  }

  set balanceUsd(usd: number) {
    this.#microUsd = micro(usd);
  }

  /** By UTC day, for X's usage report. */
  get postsReadByDay(): ReadonlyMap<string, number> {
    return this.#postsReadByDay;
  }

  postsReadInMonth(now: number): number {
    this.#turnDay(now);
    return this.#postsThisMonth;
  }

  /** Returns the cost. A resource is charged once per UTC day. */
  charge(requestId: string, operation: Operation, answer: Answer, owned: boolean, now: number): number {
    if (answer.status >= 400) return 0;
    this.#turnDay(now);
    const lines = [
      ...this.#requestLine(answer.priceClass ?? operation.price),
      ...this.#readLines(operation, answer, owned),
    ];
    const cost = lines.reduce((sum, line) => sum + line.billed * micro(line.usdEach), 0);
    this.#microUsd -= cost;
    if (lines.length > 0)
      this.#write({ requestId, at: now, operation: operation.id, lines, usd: cost / 1e6 });
    return cost / 1e6;
  }

  #write(entry: LedgerEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * kept) this.#entries = this.#entries.slice(-kept);
  }

  #requestLine(priceClass: string | undefined): LedgerLine[] {
    const usdEach = prices.perRequest[priceClass ?? ""];
    return usdEach === undefined || priceClass === undefined
      ? []
      : [{ priceClass, count: 1, billed: 1, usdEach }];
  }

  #readLines(operation: Operation, answer: Answer, owned: boolean): LedgerLine[] {
    const { reads } = answer;
    if (reads === undefined) return [];
    const lines: LedgerLine[] = [];
    if (operation.price !== undefined)
      lines.push(...this.#line(operation.price, reads.primary, owned ? prices.ownedRead : undefined));
    lines.push(...this.#line("posts_read", reads.posts), ...this.#line("user_read", reads.users));
    const posts = reads.posts.length + (operation.price === "posts_read" ? reads.primary.length : 0);
    this.#postsReadByDay.set(this.#today, (this.#postsReadByDay.get(this.#today) ?? 0) + posts);
    this.#postsThisMonth += posts;
    return lines;
  }

  #line(priceClass: string, ids: readonly string[], lowerPrice?: number): LedgerLine[] {
    const usdEach = lowerPrice ?? prices.perResource[priceClass];
    if (usdEach === undefined || ids.length === 0) return [];
    const paid = this.#paidToday.get(priceClass) ?? new Set();
    const before = paid.size;
    for (const id of ids) paid.add(id);
    this.#paidToday.set(priceClass, paid);
    return [{ priceClass, count: ids.length, billed: paid.size - before, usdEach }];
  }

  #turnDay(now: number): void {
    const dayNumber = Math.floor(now / day);
    if (dayNumber === this.#dayNumber) return;
    this.#dayNumber = dayNumber;
    this.#today = utcDay(now);
    this.#paidToday.clear();
    this.#postsThisMonth = 0;
    for (const [date, count] of this.#postsReadByDay) {
      if (date.slice(0, 7) === this.#today.slice(0, 7)) this.#postsThisMonth += count;
    }
  }
}

/** Millionths keep sums exact. */
function micro(usd: number): number {
  return Math.round(usd * 1e6);
}

const kept = 10_000;
