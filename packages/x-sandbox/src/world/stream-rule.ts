export interface StreamRule {
  readonly id: string;
  readonly value: string;
  readonly tag: string | undefined;
}
