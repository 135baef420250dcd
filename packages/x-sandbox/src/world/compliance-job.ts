export interface ComplianceJob {
  readonly id: string;
  readonly type: "tweets" | "users";
  readonly name: string | undefined;
  readonly resumable: boolean;
  readonly createdAt: number;
}
