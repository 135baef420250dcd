import type { Config } from "../config/schema.ts";

/** A configured recipient. */
export type Person = Config["notify"]["people"][number];

export type NoticeKind = Person["kinds"][number];

/** How messages name tuitbot. */
export const SENDER = { name: "tuitbot", command: "tuitbot approve" } as const;
