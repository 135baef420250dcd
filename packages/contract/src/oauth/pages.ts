import { createHash } from "node:crypto";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1c1917;background:#fafaf9}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dt{color:#57534e}dd{margin:0;overflow-wrap:anywhere}
label{display:block;margin:.5rem 0}input[type=password],input[type=number],select{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
button{font:inherit;padding:.5rem 1rem;margin:.5rem .5rem 0 0}.warning{border-left:3px solid #b45309;padding-left:.75rem}
@media(prefers-color-scheme:dark){body{color:#e7e5e4;background:#1c1917}dt{color:#a8a29e}}`;

/** Allows no script and no frame, and forms to these targets only. */
export function pageHeaders(formAction: string): Record<string, string> {
  const style = createHash("sha256").update(STYLE).digest("base64");
  return {
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${style}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

export function htmlPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}

/** For requests that cannot be sent back to the client. */
export const errorPage = {
  headers: pageHeaders("'none'"),
  html: (error: string, description = "") =>
    htmlPage(
      "Sign-in failed",
      `<h1>Sign-in failed</h1><p>${escapeHtml(description || error)}</p><p>Go back to your client and connect again. If it fails once more, remove the server there and add it again.</p>`,
    ),
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
