import type { Check } from "@toolpact/cli";

export function fine(name: string, message: string): Check {
  return { name, status: "ok", message };
}

export function warning(name: string, message: string, fix: string): Check {
  return { name, status: "warning", message, fix };
}

export function broken(name: string, message: string, fix: string): Check {
  return { name, status: "failed", message, fix };
}

export function skipped(name: string, message: string): Check {
  return { name, status: "skipped", message };
}
