/** Which account of the configuration a sign-in is of. Before, a configuration had one. */
export function accountColumns(): readonly string[] {
  return ["alter table sign_ins add column configured_as text not null default 'default'"];
}
