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
  protected: boolean;
  /** From anyone; otherwise only from people they follow. */
  opensDms: boolean;
  accountStatus: AccountStatus;
  pinnedPostId: string | undefined;
  /** Outside this world. */
  readonly otherFollowers?: number | undefined;
}

/** A locked account can do nothing; a suspended one is also invisible. */
export type AccountStatus = "active" | "locked" | "suspended";

export function isPremium(person: Person): boolean {
  return person.subscription === "Premium" || person.subscription === "PremiumPlus";
}
