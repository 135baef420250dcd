import { expect } from "vitest";
import type { Heard } from "./caller.ts";

export function forbidden(detail: string): object {
  return { detail, type: "about:blank", title: "Forbidden", status: 403 };
}

export function invalid(parameter: string, value: string, message: string): object {
  return {
    errors: [{ parameters: { [parameter]: [value] }, message }],
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: "https://api.twitter.com/2/problems/invalid-request",
  };
}

export function refused(heard: Heard, status: number, body: object): void {
  expect(heard.body).toEqual(body);
  expect(heard.status).toBe(status);
}
