/** A tool outside the profile does not exist for the client. */
export const profiles = [
  "readonly",
  "api-readonly",
  "write",
  "admin",
  "utility-readonly",
  "utility-write",
] as const;

export type Profile = (typeof profiles)[number];

export const defaultProfile: Profile = "write";

export const profilePurpose: Readonly<Record<Profile, string>> = {
  readonly: "A handful of reads. Nothing can be changed.",
  "api-readonly": "All everyday reads of X. Nothing can be changed.",
  write: "Every typed tool, under the policy of your configuration.",
  admin: "As write, and requests to any path of X's API.",
  "utility-readonly": "Plain X reads for scripts and other agents. Nothing can be changed.",
  "utility-write": "Plain X reads and writes without policy or approval: the caller is responsible.",
};

/** With policy and approval. */
export function isWorkflowProfile(profile: string): boolean {
  return writeUp.some((name) => name === profile);
}

export function isUtilityProfile(profile: string): boolean {
  return utility.some((name) => name === profile);
}

const utility = ["utility-readonly", "utility-write"] as const satisfies readonly Profile[];

// Named by tools.

export const allSix = [...profiles] as const;

export const writeUp = ["write", "admin"] as const satisfies readonly Profile[];

export const adminOnly = ["admin"] as const satisfies readonly Profile[];

export const writeUpAndUtilityWrite = [...writeUp, "utility-write"] as const satisfies readonly Profile[];

export const writeUpAndApiReadonly = ["api-readonly", ...writeUp] as const satisfies readonly Profile[];

export const writeUpAndApiReadonlyAndUtilityWrite = [
  "api-readonly",
  ...writeUp,
  "utility-write",
] as const satisfies readonly Profile[];

export const writeUpAndUtility = [...writeUp, ...utility] as const satisfies readonly Profile[];

export const allButReadonly = ["api-readonly", ...writeUp, ...utility] as const satisfies readonly Profile[];

/** The manifest's `lane`: `workflow` for tools of write and admin only. */
export function laneNameOf(tool: { readonly profiles: readonly string[] }): "shared" | "workflow" {
  return tool.profiles.every(isWorkflowProfile) ? "workflow" : "shared";
}
