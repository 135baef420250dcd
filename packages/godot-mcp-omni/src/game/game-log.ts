import type {
  ErrorPage,
  GameError,
  OutputLine,
  OutputPage,
  OutputQuery,
  StackFrame,
  Variable,
} from "./game.ts";

const KEPT_LINES = 2_000;
const KEPT_ERRORS = 300;
const MAX_LINE = 2_000;
const PAGE = 100;

/** What a game wrote: the last of it, however much there was. */
export class GameLog {
  private readonly lines = new Ring<OutputLine>(KEPT_LINES);
  private readonly problems = new Ring<GameError>(KEPT_ERRORS);

  get lineCount(): number {
    return this.lines.count;
  }

  /** Errors, and not warnings, of different kinds. */
  get errorCount(): number {
    return this.problems.items.filter(({ severity }) => severity === "error").length;
  }

  write(text: string, isError: boolean): void {
    for (const line of text.replace(/\n$/, "").split("\n"))
      this.lines.push({ text: line.slice(0, MAX_LINE), isError });
  }

  /** The same again is counted, not kept. */
  addError(error: Omit<GameError, "times">): void {
    const known = this.problems.items.find((candidate) => isSame(candidate, error));
    if (known === undefined) this.problems.push({ ...error, times: 1 });
    else this.problems.replace(known, { ...known, times: known.times + 1 });
  }

  /** The newest error of this place that says nothing of its variables yet. */
  addLocals(place: StackFrame, locals: readonly Variable[]): void {
    const known = this.withoutLocals(place);
    if (known !== undefined) this.problems.replace(known, { ...known, locals });
  }

  lacksLocals(place: StackFrame): boolean {
    return this.withoutLocals(place) !== undefined;
  }

  /** Takes back an error that was not the game's. */
  forgetError(matches: (error: GameError) => boolean): GameError | undefined {
    const found = this.problems.items.findLast(matches);
    if (found === undefined) return undefined;
    if (found.times > 1) this.problems.replace(found, { ...found, times: found.times - 1 });
    else this.problems.remove(found);
    return found;
  }

  output(query: OutputQuery = {}): OutputPage {
    const { items, ...page } = this.lines.page(query);
    return { lines: items, ...page };
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

/** The last so many of a row of things, each with its number. */
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
    // Cut now and then, so that each push costs the same.
    if (this.items.length > this.most * 2) this.items = this.items.slice(-this.most);
  }

  replace(old: T, item: T): void {
    this.items[this.items.indexOf(old)] = item;
  }

  remove(item: T): void {
    this.items.splice(this.items.indexOf(item), 1);
    this.count--;
  }

  /** The last ones unless `after` names where to go on. */
  page({ after, limit = PAGE }: OutputQuery): { items: readonly T[]; next: number; dropped: number } {
    const kept = this.items.slice(-this.most);
    const first = this.count - kept.length;
    const from = after === undefined ? Math.max(0, kept.length - limit) : Math.max(0, after - first);
    const items = kept.slice(from, from + limit);
    return {
      items,
      next: first + from + items.length,
      dropped: after === undefined ? first : Math.max(0, first - after),
    };
  }
}
