export interface Space {
  /** Thirteen letters and digits, like X's. */
  readonly id: string;
  readonly creatorId: string;
  readonly hostIds: readonly string[];
  readonly speakerIds: readonly string[];
  readonly invitedIds: readonly string[];
  readonly buyerIds: readonly string[];
  readonly topicIds: readonly string[];
  readonly title: string;
  readonly state: "live" | "scheduled" | "ended";
  readonly lang: string;
  readonly ticketed: boolean;
  readonly participants: number;
  readonly subscribers: number;
  readonly createdAt: number;
  readonly scheduledStart: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

export interface Topic {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}
