/** The address of a post at X. */
export function postAddress(id: string): string {
  return `https://x.com/i/status/${id}`;
}

/** The id of a post in its address at X, or the id itself. */
export function postIdIn(address: string): string | undefined {
  return /(?:\/status\/|^)(\d{5,19})\b/.exec(address.trim())?.[1];
}
