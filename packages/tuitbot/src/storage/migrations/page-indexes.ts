/** What changed last, for pages that are told of every change. */
export function pageIndexes(): readonly string[] {
  return [
    "create index drafts_changed on drafts (account, updated_at)",
    "create index approval_edits_newest on approval_edits (account, id)",
  ];
}
