export const general = {
  tryAgain: "Try again",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  loading: "Loading",
  unknown: "unknown",
  notMeasured: "not measured yet",
  notKnown: "not known",
  table: "Table",
  chart: "Chart",
  skip: "Skip to the content",
  more: "More",
  keys: "Keyboard",
  today: "Today",
  none: "none",
  nothingToUndo: "Nothing to undo here. Activity lists everything that can be undone.",
  csv: "Export CSV",
  rows: "See the posts",
  rowsShort: "Posts",
  days: "See the days",
  rowsOf: (title: string, label = "See the posts") => `${label} of: ${title}`,
};

export const views = {
  inbox: "Inbox",
  mentions: "Mentions",
  compose: "Compose",
  calendar: "Calendar",
  analytics: "Analytics",
  spend: "Spend",
  activity: "Activity",
  autopilot: "Autopilot",
  discovery: "Discovery",
  policy: "Policy",
  setup: "Settings",
};

export const problems = {
  unreachable: {
    code: "unreachable",
    message: "Can't reach tuitbot. Your click probably had no effect.",
    fix: "Check that it is still running, then try again.",
  },
  unexpected: {
    code: "unexpected",
    message: "The server sent an answer that this dashboard does not understand.",
    fix: "Reload: the server may be newer than the dashboard in this tab.",
  },
};

type Details = Readonly<Record<string, unknown>>;

/** Refusals by their reason. English shows the words of the server. */
export const refusals: Readonly<Record<string, (details: Details) => string>> = {};

/** Failures by their code, in front of the words of the server. */
export const failures: Readonly<Record<string, string>> = {};

export const roles = {
  names: { viewer: "viewer", approver: "approver", owner: "owner" },
  lacks: (what: string, needed: string, role: string) =>
    `${what} the role ${needed}. You are signed in as ${role}.`,
  needs: {
    decide: "Deciding needs",
    write: "Storing, scheduling and publishing need",
    move: "Moving a post needs",
    measure: "Measuring now needs",
    undo: "Taking something back needs",
    settle: "Settling this needs",
    switch: "Switching an automation needs",
    rehearse: "A rehearsal needs",
    reply: "Searching and replying need",
    passkeys: "Using your own passkeys needs",
    setup: "The guided set-up needs",
    stop: "Stopping everything needs",
    resume: "Resuming needs",
    rule: "Accepting a rule needs",
  },
};
