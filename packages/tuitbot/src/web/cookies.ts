/** Browsers send a cookie to every port of a machine, so servers for different accounts need different names. */
export function cookieName(account: string): string {
  return `tuitbot-${account}`;
}

export function deviceCookie(account: string): string {
  return `tuitbot-device-${account}`;
}

export function setCookie(
  name: string,
  value: string,
  path: string,
  seconds: number,
  isSecure: boolean,
): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${seconds}${secure}`;
}

export function cookieOf(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
