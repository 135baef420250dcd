export interface Person {
  readonly id: string;
  readonly username: string;
  name: string;
  bio: string;
  location: string | undefined;
  url: string | undefined;
  readonly createdAt: number;
  subscription: "None" | "Basic" | "Premium" | "PremiumPlus";
  verified: "none" | "blue" | "business" | "government";
  /** Only followers can see the posts. */
  protected: boolean;
  /** Accepts direct messages from anyone; otherwise only from people they follow. */
  opensDms: boolean;
  accountStatus: AccountStatus;
  pinnedPostId: string | undefined;
  /** Followers outside this world. */
  readonly otherFollowers?: number | undefined;
}

/** A locked or suspended account can do nothing; a suspended one cannot be seen. */
export type AccountStatus = "active" | "locked" | "suspended";

export function isPremium(person: Person): boolean {
  return person.subscription === "Premium" || person.subscription === "PremiumPlus";
}
