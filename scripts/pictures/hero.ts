import { newHome, type Served, serve } from "../../packages/tuitbot/test/web/served.ts";
import { buildPage } from "../../packages/tuitbot-web/test/built-page.ts";
import { chromiumPath, openChromium } from "../../packages/tuitbot-web/test/chromium.ts";
import { fontFace, listTexts, textsOn, WEBP } from "../../packages/tuitbot-web/test/picture-files.ts";

const reply = "Cold and slow: more flavor, and you bake when it suits you.";

type Browser = Awaited<ReturnType<typeof openChromium>>;

/** From one run on the sandbox: an agent proposes, you approve on a phone, the reply is on X. */
export async function hero(): Promise<Buffer> {
  const path = chromiumPath();
  if (path === undefined) throw new Error("There is no Chromium here. Install it, or name it in CHROMIUM.");
  await buildPage();
  const { home, remove } = newHome();
  const served = await serve(home, { agent: "Claude Code" });
  const chromium = await openChromium(path);
  try {
    return await drawn(chromium, await run(chromium, served));
  } finally {
    await chromium.close();
    await served.stop();
    remove();
  }
}

interface Run {
  readonly target: Candidate;
  readonly queued: Answer;
  /** As a data URL. */
  readonly phone: string;
  readonly posted: Answer;
  readonly repeated: Answer;
}

interface Candidate {
  readonly id: string;
  readonly author: string;
}

type Answer = Readonly<Record<string, string>>;

async function run(chromium: Browser, served: Served): Promise<Run> {
  const found = await served.call("find_reply_opportunities", { min_score: 30, limit: 5 });
  const { candidates } = found.data as unknown as { readonly candidates: readonly Candidate[] };
  const [target] = candidates;
  if (target === undefined) throw new Error("The sandbox has no post to answer.");
  const propose = () => served.call("x_reply_to_tweet", { in_reply_to_id: target.id, text: reply });
  const queued = (await propose()).data as unknown as Answer;

  const context = await chromium.newContext({
    viewport: { width: 390, height: 772 },
    deviceScaleFactor: 2,
    locale: "en-US",
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(`${served.url}#signin=${served.link}`);
  await page.locator(".item-row > button").first().click();
  await page.getByRole("button", { name: /Approve and send/ }).waitFor();
  const phone = `data:image/webp;base64,${(await page.screenshot(WEBP)).toString("base64")}`;
  listTexts("hero.webp", await textsOn(page));
  await page.getByRole("button", { name: /Approve and send/ }).click();
  await page.getByText("Approved and sent.").waitFor();
  await context.close();

  const { error } = await propose();
  const repeated = error as unknown as Answer;
  const { data } = await served.call("x_get_user_tweets", { user_id: "me", max_results: 5 });
  const { posts } = data as unknown as { readonly posts: readonly Answer[] };
  const posted = posts.filter(({ text }) => text?.includes(reply));
  if (posted.length !== 1) throw new Error(`X shows the reply ${posted.length} times.`);
  const me = (await served.call("x_get_me")).data as unknown as Answer;
  return {
    target,
    queued,
    phone,
    posted: { ...posted[0], author: `@${me.username?.replace("@", "")}` },
    repeated,
  };
}

async function drawn(chromium: Browser, taken: Run): Promise<Buffer> {
  const page = await chromium.newPage({ viewport: { width: 1200, height: 640 }, deviceScaleFactor: 2 });
  await page.setContent(html(taken));
  await page.locator("img").waitFor();
  const box = await page.locator("main").boundingBox();
  await page.setViewportSize({ width: 1200, height: Math.ceil(box?.height ?? 640) });
  return page.screenshot(WEBP);
}

function html({ target, queued, phone, posted, repeated }: Run): string {
  return `<style>${fontFace()}
    body { margin: 0; background: #f6f5f1; color: #1d1b17; font: 15px/1.45 "Inter", system-ui, sans-serif; }
    main { display: grid; grid-template-columns: 1fr 300px 1fr; gap: 34px; padding: 24px 30px 28px; align-items: start; }
    h2 { font-size: 17px; margin: 0 0 12px; white-space: nowrap; } h2 b { color: #2450ba; margin-right: 4px; }
    pre { margin: 0; background: #0d1117; color: #e6edf3; border-radius: 12px; padding: 18px 20px; white-space: pre-wrap;
      font: 14px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; }
    pre i { font-style: normal; color: #76e3ea; } pre em { font-style: normal; color: #7ee787; } pre s { text-decoration: none; color: #e3b341; }
    .side { margin-top: 118px; }
    img { width: 100%; display: block; border: 7px solid #1d1b17; border-radius: 30px; box-sizing: border-box; }
    article { background: #fff; border: 1px solid #cfcbc0; border-radius: 14px; padding: 16px 18px; margin-bottom: 16px; }
    article p { margin: 6px 0 0; } small { color: #6b675e; font-size: 13px; }
  </style><main>
    <section class="side"><h2><b>1</b> An agent proposes a reply</h2>
      <pre><i>agent ›</i> x_reply_to_tweet
  in_reply_to ${escaped(target.author)}
  text "${escaped(reply)}"

<em>status: ${queued.status}</em>
${escaped(queued.message ?? "")}</pre></section>
    <section><h2><b>2</b> You approve on your phone</h2><img src="${phone}"></section>
    <section class="side"><h2><b>3</b> It is posted, once</h2>
      <article><b>${escaped(posted.author ?? "")}</b> <small>replying to ${escaped(target.author)}</small>
        <p>${escaped((posted.text ?? "").replace(/^(@\w+ )+/, ""))}</p></article>
      <pre><i>agent ›</i> x_reply_to_tweet, the same again

<s>${repeated.reason}</s>
${escaped(repeated.message ?? "")}</pre></section>
  </main>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
