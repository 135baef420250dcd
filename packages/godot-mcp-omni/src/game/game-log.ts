import { onePage } from "../shortened-page.ts";
import type {
  ErrorPage,
  GameError,
  OutputLine,
  OutputPage,
  OutputQuery,
  StackFrame,
  Variable,
} from "./game-shapes.ts";

const KEPT_LINES = 2_000;
const KEPT_ERRORS = 300;
const MAX_LINE = 2_000;
const PAGE = 100;

export class GameLog {
  private readonly lines = new Ring<OutputLine>(KEPT_LINES);
  private readonly listeners = new Set<() => void>();
  private readonly problems = new Ring<GameError>(KEPT_ERRORS);

  get lineCount(): number {
    return this.lines.count;
  }

  /** Distinct errors, without warnings. */
  get errorCount(): number {
    return this.problems.items.filter(({ severity }) => severity === "error").length;
  }

  write(text: string, isError: boolean): void {
    for (const line of text.replace(/\n$/, "").split("\n"))
      this.lines.push({ text: line.slice(0, MAX_LINE), isError });
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls back after each write, until the returned function is called. */
  onWrite(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Counts a repeated error instead of storing it again. */
  addError(error: Omit<GameError, "times">): void {
    const known = this.problems.items.find((candidate) => isSame(candidate, error));
    if (known === undefined) this.problems.push({ ...error, times: 1 });
    else this.problems.replace(known, { ...known, times: known.times + 1 });
  }

  /** Adds variables to the newest error at this location that has none. */
  addLocals(place: StackFrame, locals: readonly Variable[]): void {
    const known = this.withoutLocals(place);
    if (known !== undefined) this.problems.replace(known, { ...known, locals });
  }

  lacksLocals(place: StackFrame): boolean {
    return this.withoutLocals(place) !== undefined;
  }

  /** Removes an error that did not come from the game. */
  forgetError(matches: (error: GameError) => boolean): GameError | undefined {
    const found = this.problems.items.findLast(matches);
    if (found === undefined) return undefined;
    if (found.times > 1) this.problems.replace(found, { ...found, times: found.times - 1 });
    else this.problems.remove(found);
    return found;
  }

  /** Removes errors after a page that did not come from the game. */
  forgetErrors(after: number, matches: (error: GameError) => boolean): void {
    for (const error of this.errorsAfter(after)) if (matches(error)) this.problems.remove(error);
  }

  output(query: OutputQuery = {}): OutputPage {
    const { items, ...page } = this.lines.page(query);
    return { lines: items, ...page };
  }

  /** All of them; a page is limited to the size of an answer. */
  errorsAfter(after: number): readonly GameError[] {
    return this.errors({ after, limit: KEPT_ERRORS }).errors;
  }

  errors(query: OutputQuery = {}): ErrorPage {
    const { items, ...page } = this.problems.page(query);
    return { errors: items, ...page };
  }

  private withoutLocals({ path, line }: StackFrame): GameError | undefined {
    return this.problems.items.findLast(
      (error) => error.path === path && error.line === line && error.locals === undefined,
    );
  }
}

function isSame(a: GameError, b: Omit<GameError, "times">): boolean {
  return a.message === b.message && a.path === b.path && a.line === b.line && a.severity === b.severity;
}

class Ring<T> {
  items: T[] = [];
  count = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  push(item: T): void {
    this.items.push(item);
    this.count++;
    // Trimmed now and then to keep the cost per push constant.
    if (this.items.length > this.most * 2) this.items = this.items.slice(-this.most);
  }

  replace(old: T, item: T): void {
    this.items[this.items.indexOf(old)] = item;
  }

  remove(item: T): void {
    this.items.splice(this.items.indexOf(item), 1);
    this.count--;
  }

  /** The last items, or those after `after`. */
  page({ after, limit }: OutputQuery): { items: readonly T[]; next: number; dropped: number } {
    const most = limit ?? PAGE;
    const stored = this.items.slice(-this.most);
    const first = this.count - stored.length;
    const start = after === undefined ? Math.max(0, stored.length - most) : Math.max(0, after - first);
    const found = stored.slice(start, start + most);
    const items = limit === undefined ? onePage(found, after === undefined ? "last" : "first") : found;
    const from = after === undefined ? start + found.length - items.length : start;
    return {
      items,
      next: first + from + items.length,
      dropped: after === undefined ? first : Math.max(0, first - after),
    };
  }
}
