import { plural, price } from "../../format/numbers.ts";

export const shell = {
  main: "Views",
  status: "Status",
  sandbox: "sandbox",
  sandboxTitle: "A simulated X. Nothing here is real, and nothing costs money.",
  spentOf: (spent: number, cap: number): readonly [string, string] => [
    price(spent),
    `of ${price(cap)} today`,
  ],
  spentNoCap: (spent: number): readonly [string, string] => [price(spent), "today, no cap"],
  xAnswers: "Connected to X",
  xUnknown: "X not contacted yet",
  xFailed: (ago: string) => `Last request to X failed, ${ago}`,
  loopAlive: "Automation running",
  loopLast: (ago: string) => `checked ${ago}`,
  loopNone: "Automation not running",
  stopped: "Paused",
  lost: "Can't reach tuitbot. This view may be out of date. Reconnecting…",
  theme: { light: "Use the light theme", dark: "Use the dark theme" },
  accounts: { title: "Switch account" },
  signOut: "Sign out",
  signedInAs: (person: string, role: string) => `Signed in as ${person}, ${role}`,
};

export const stop = {
  button: "Pause agents",
  short: "Pause",
  title: "Pause everything?",
  what: "Nothing more is sent to X for this account until you resume. Agents are told that you paused them. The inbox keeps its items.",
  reason: "Why (optional; agents and other people read it)",
  yes: "Pause everything",
  banner: (by: string, since: string) => `Paused by ${by}, ${since}. Nothing is sent to X.`,
  resume: "Resume",
  resumeTitle: "Resume?",
  resumeWhat: "Agents and automations may send again, under the same rules, budget and approvals as before.",
  resumed: "Resumed. Agents and automations work again.",
  done: "Everything is paused.",
};

export const palette = {
  open: "Search",
  title: (account: string) => `Search in ${account}`,
  label: "Views, actions, drafts, posts",
  view: "view",
  action: "action",
  draft: "draft",
  account: "account",
  newPost: "New post",
  theme: "Switch between light and dark",
  notify: "Turn on browser notifications",
  notifyOn: "You are notified in this browser while you look at something else.",
  notifyOff: "The browser does not allow notifications for this address.",
  waiting: (value: number) =>
    plural(value, { one: "# item needs your approval", other: "# items need your approval" }),
  nothing: "Nothing found.",
};

export const signIn = {
  title: "Sign in to tuitbot",
  what: "The dashboard publishes in your name, so it opens only for browsers you sign in.",
  link: "Open the link that the server printed when it started. It works once. For a new link, run this, then come back to this tab:",
  command: "npx tuitbot web",
  name: "Name",
  passphrase: "Passphrase",
  submit: "Sign in",
  waiting: "Connecting…",
};

export const keys = {
  title: "Keyboard",
  list: [
    ["j  k", "Next, previous"],
    ["a", "Approve and send"],
    ["s", "Send at the next free slot"],
    ["e", "Edit"],
    ["r", "Reject"],
    ["x", "Select"],
    ["u", "Undo what was just done"],
    ["/  Ctrl K", "Search"],
    ["t", "Show the table behind a chart"],
    ["w  m  ←  →", "Calendar: week, month, earlier, later"],
    ["Shift + arrow", "Calendar: move the post that has the focus by an hour or a day"],
    ["?", "This list"],
  ],
  toView: (keys: string) => `g then ${keys}`,
};
