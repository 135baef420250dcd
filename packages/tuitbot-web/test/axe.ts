import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds fault with in a page, as it is shown now. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // What it runs is the source text of axe-core, which the policy of the page does not allow as a script element.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))",
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value;
}
