import type { Answer } from "../answer.ts";

export function shown(value: object): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

export function complaint(error: string, status = 400): Answer {
  return { status, body: { error } };
}
