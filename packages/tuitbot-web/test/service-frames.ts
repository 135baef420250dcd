import { fontFace } from "./picture-files.ts";

/** Draws a message as the apps of these services do: each returns the HTML of one window. */
export const serviceFrames = {
  /** A chat with rows of buttons below the message, as in Telegram. */
  chat: (text: string, buttons: readonly string[]) =>
    page(
      "background: #cfdbe6",
      `<header>${AVATAR}<b>tuitbot</b><small>bot</small></header>
       <section class="bubble">${withTitle(text)}<time>09:41</time></section>
       <nav>${buttons.map((label) => `<button>${escaped(label)}</button>`).join("")}</nav>`,
      `header { display: flex; gap: 10px; align-items: center; background: #fff; margin: -20px -20px 16px; padding: 10px 20px }
       .bubble { background: #fff; border-radius: 14px 14px 14px 4px; padding: 10px 14px; max-width: 520px }
       time { display: block; text-align: right; color: #8a949e; font-size: 12px }
       nav { display: flex; flex-wrap: wrap; gap: 6px; max-width: 548px; margin-top: 6px }
       button { flex: 1 1 40%; background: #7d95ab; color: #fff; border: 0; border-radius: 9px; padding: 9px; font: inherit; font-weight: 550 }`,
    ),
  /** A message of an app with a row of buttons, as in Slack. */
  channel: ([title = "", ...sections]: readonly string[], buttons: readonly string[]) =>
    page(
      "background: #fff",
      `<article>${AVATAR}<div><b>tuitbot</b> <small class="app">APP</small> <small>9:41 AM</small>
         <p><b>${escaped(title)}</b></p>${sections.map((text) => `<p>${escaped(text)}</p>`).join("")}
         ${buttons.map((label, index) => `<button class="${index === 0 ? "first" : ""}">${escaped(label)}</button>`).join("")}
       </div></article>`,
      `article { display: grid; grid-template-columns: 36px 1fr; gap: 12px } p { margin: 6px 0 10px; white-space: pre-wrap }
       .app { background: #e8e8e8; border-radius: 3px; padding: 1px 4px; font-size: 10px }
       button { background: #fff; border: 1px solid #bbb; border-radius: 5px; padding: 6px 12px; margin-right: 8px; font: inherit; font-weight: 600 }
       button.first { background: #0b7a5c; border-color: #0b7a5c; color: #fff }`,
    ),
  mail: ({ from, to, subject, text }: Readonly<Record<"from" | "to" | "subject" | "text", string>>) =>
    page(
      "background: #f1f3f6",
      `<article><h1>${escaped(subject)}</h1><header>${AVATAR}<div><b>${escaped(from)}</b><br><small>to ${escaped(to)}</small></div></header>
       <pre>${escaped(text).replace(/https?:\/\/\S+/, '<a href="">$&</a>')}</pre></article>`,
      `article { background: #fff; border-radius: 12px; padding: 18px 22px } h1 { font-size: 20px; font-weight: 600; margin: 0 0 14px }
       header { display: flex; gap: 12px; align-items: center; border-bottom: 1px solid #e4e7eb; padding-bottom: 12px }
       pre { margin: 14px 0 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere } a { color: #1f5fd0 }`,
    ),
  /** A notification on a phone, as from ntfy. */
  push: (title: string, text: string, actions: readonly string[]) =>
    page(
      "background: linear-gradient(160deg, #3b4a63, #7a6f8f)",
      `<article><small>ntfy · now</small><h1>${escaped(title)}</h1><p>${escaped(text)}</p>
       <footer>${actions.map((label) => `<b>${escaped(label)}</b>`).join("")}</footer></article>`,
      `article { background: #fffffff0; border-radius: 18px; padding: 14px 18px } h1 { font-size: 15px; margin: 4px 0 }
       p { margin: 0; white-space: pre-wrap } footer { margin-top: 10px; color: #33658a }`,
    ),
  request: (headers: Readonly<Record<string, string>>, body: string) =>
    page(
      "background: #0d1117",
      `<pre>${Object.entries(headers)
        .map(([name, value]) => `<i>${escaped(name)}:</i> ${escaped(value)}`)
        .join("\n")}\n\n${escaped(body)}</pre>`,
      `pre { margin: 0; color: #e6edf3; font: 13px/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
       i { font-style: normal; color: #76e3ea }`,
    ),
};

const AVATAR = `<svg width="36" height="36" viewBox="0 0 36 36"><rect width="36" height="36" rx="9" fill="#2b5fd9"/>
  <path d="M11 18l5 5 9-10" fill="none" stroke="#fff" stroke-width="3"/></svg>`;

/** The first line of a message as its heading. */
function withTitle(text: string): string {
  const [title = "", ...rest] = text.split("\n");
  return `<b>${escaped(title)}</b><div style="white-space: pre-wrap; margin-top: 4px">${escaped(rest.join("\n").trimStart())}</div>`;
}

function page(background: string, body: string, style: string): string {
  return `<style>${fontFace()} body { margin: 0; padding: 20px; font: 14px/1.5 "Inter", system-ui, sans-serif; color: #1d1b17; ${background} }
    small { color: #6b7280 } ${style}</style>${body}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
