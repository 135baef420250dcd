/** The account that the settings outside of `accounts` are for. */
export const DEFAULT_ACCOUNT = "default";

/** The account to act for: as named on the command line or in the environment. */
export function accountOf({
  account,
  env,
}: {
  readonly account?: string | undefined;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}): string {
  return account ?? (env.TUITBOT_ACCOUNT || DEFAULT_ACCOUNT);
}

/** The public address of an account's dashboard. */
export function dashboardUrl(publicUrl: string | undefined, account: string): string | undefined {
  if (publicUrl === undefined) return undefined;
  return new URL(account === DEFAULT_ACCOUNT ? "/" : `/accounts/${account}/`, publicUrl).href;
}
