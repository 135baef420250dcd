import axe from "axe-core";
import type { Page } from "playwright-core";

/** The problems that axe-core finds in a page as it is shown now. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Evaluates the source text of axe-core, because the page's policy does not allow it as a script element.
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
