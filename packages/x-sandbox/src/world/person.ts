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
  /** Posts are for followers only. */
  protected: boolean;
  /** Takes direct messages from anyone; otherwise only from people they follow. */
  opensDms: boolean;
  accountStatus: AccountStatus;
  pinnedPostId: string | undefined;
  /** Followers who are not in this world. */
  readonly otherFollowers?: number | undefined;
}

/** What X lets an account do: a locked or suspended one can do nothing; a suspended one cannot be seen. */
export type AccountStatus = "active" | "locked" | "suspended";

export function isPremium(person: Person): boolean {
  return person.subscription === "Premium" || person.subscription === "PremiumPlus";
}
