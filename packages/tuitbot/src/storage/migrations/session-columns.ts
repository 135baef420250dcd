/** How each browser was signed in. Browsers from before have to be signed in again. */
export function sessionColumns(): readonly string[] {
  return ["alter table web_sessions add column signed_in_by text not null default ''"];
}
