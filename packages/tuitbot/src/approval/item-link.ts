/** Where a person decides about an item on the page. */
export function itemLink(pageUrl: string, id: number): string {
  const url = new URL("/", pageUrl);
  url.hash = `/inbox/${id}`;
  return url.href;
}
