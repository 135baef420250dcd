import { createHash } from "node:crypto";
import type { HttpExtension } from "./http-options.ts";

/** Shown when a browser opens the server's address. Public, so it must not contain secrets. */
export interface StartPage {
  readonly title: string;
  /** One or two sentences. */
  readonly lead: string;
  readonly steps: readonly StartPageStep[];
}

export interface StartPageStep {
  readonly title: string;
  readonly copy: string;
  readonly note?: string;
}

/** Serves one page at `/`, given the address of the MCP server. */
export function startPageExtension(page: (url: string) => StartPage): HttpExtension {
  return {
    answer: async (request) =>
      opensStartPage(request) ? startPageResponse(page(new URL("/mcp", request.url).href)) : undefined,
    close: async () => {},
  };
}

function opensStartPage({ method, url, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return new URL(url).pathname === "/" && (headers.get("accept") ?? "").includes("text/html");
}

/** Self-contained, without scripts. */
function startPageResponse({ title, lead, steps }: StartPage): Response {
  const items = steps.map(
    ({ title, copy, note }) =>
      `<li><h2>${escaped(title)}</h2><pre tabindex="0">${escaped(copy)}</pre>${note === undefined ? "" : `<p>${escaped(note)}</p>`}</li>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="lead">${escaped(lead)}</p>
<ol>
${items.join("\n")}
</ol>
</main>
</body>
</html>
`;
  return new Response(html, { headers: HEADERS });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#1c2430;--soft:#5b6675;--line:#e2e6ec;--code:#f1f3f6;--mark:#2f6fed}
@media(prefers-color-scheme:dark){:root{--back:#0e1217;--card:#161b22;--text:#e6edf3;--soft:#98a3b0;--line:#2a313b;--code:#0d1117;--mark:#79a7ff}}
*{box-sizing:border-box}
body{margin:0;padding:6vh 20px;background:var(--back);color:var(--text);font:16px/1.55 system-ui,sans-serif}
main{max-width:720px;margin:0 auto;padding:36px 40px;background:var(--card);border:1px solid var(--line);border-radius:16px}
h1{margin:0;font-size:28px;letter-spacing:-.02em}
.lead{margin:8px 0 28px;color:var(--soft)}
ol{margin:0;padding:0;list-style:none;counter-reset:step}
li{position:relative;margin:0 0 24px;padding-left:44px;counter-increment:step}
li:last-child{margin-bottom:0}
li::before{content:counter(step);position:absolute;left:0;top:0;width:28px;height:28px;border-radius:50%;border:2px solid var(--mark);color:var(--mark);font-weight:600;line-height:24px;text-align:center}
h2{margin:0 0 8px;font-size:17px;line-height:28px}
pre{margin:0;padding:12px 14px;background:var(--code);border:1px solid var(--line);border-radius:10px;font:13.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all}
li p{margin:8px 0 0;color:var(--soft);font-size:14px}
li p::first-letter{text-transform:uppercase}
@media(max-width:520px){body{padding:0}main{padding:24px 20px;border:0;border-radius:0;min-height:100vh}}
`;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};
