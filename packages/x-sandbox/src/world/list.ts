export interface PeopleList {
  readonly id: string;
  readonly ownerId: string;
  readonly createdAt: number;
  name: string;
  description: string;
  private: boolean;
}
