import type { BrowserContext, Browser as Chromium, Page } from "playwright-core";
import { type Served, serve } from "../../tuitbot/test/web/served.ts";
import { buildPage } from "./built-page.ts";
import { chromiumPath, openChromium } from "./chromium.ts";

/** A served tuitbot and a browser that is signed in to it. */
export interface SignedInPage {
  readonly chromium: Chromium;
  readonly served: Served;
  readonly context: BrowserContext;
  readonly page: Page;
}

export const hasChromium = chromiumPath() !== undefined;

/** Serves tuitbot from this home and signs in. Only where `hasChromium`. */
export async function openSignedIn(
  home: string,
  {
    height = 1000,
    env = {},
    words,
  }: {
    readonly height?: number;
    readonly env?: NodeJS.ProcessEnv;
    readonly words?: readonly string[];
  } = {},
): Promise<SignedInPage> {
  await buildPage();
  const served = await serve(home, { env, ...(words !== undefined && { words }) });
  const chromium = await openChromium(chromiumPath() ?? "");
  const context = await chromium.newContext({ viewport: { width: 1280, height } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(`${served.url}#signin=${served.link}`);
  await page.locator(".app").waitFor();
  return { chromium, served, context, page };
}
