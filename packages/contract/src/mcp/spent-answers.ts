const MOST_REMEMBERED = 10_000;

/** The answers that this process has taken, so that none of them counts twice. */
export class SpentAnswers {
  private readonly ids = new Set<string>();

  /** Whether this is the first time. */
  spend(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    const [oldest = id] = this.ids.size > MOST_REMEMBERED ? this.ids : [];
    if (oldest !== id) this.ids.delete(oldest);
    return true;
  }
}
