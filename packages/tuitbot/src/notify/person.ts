import type { Config } from "../config/schema.ts";

export type Person = Config["notify"]["people"][number];

export type NoticeKind = Person["kinds"][number];

export const SENDER = { name: "tuitbot", command: "tuitbot approve" } as const;
