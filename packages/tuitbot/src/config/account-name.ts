/** For the settings outside of `accounts`. */
export const DEFAULT_ACCOUNT = "default";

/** From the command line or the environment. */
export function accountOf({
  account,
  env,
}: {
  readonly account?: string | undefined;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}): string {
  return account ?? (env.TUITBOT_ACCOUNT || DEFAULT_ACCOUNT);
}

export function dashboardUrl(publicUrl: string | undefined, account: string): string | undefined {
  if (publicUrl === undefined) return undefined;
  return new URL(account === DEFAULT_ACCOUNT ? "/" : `/accounts/${account}/`, publicUrl).href;
}
