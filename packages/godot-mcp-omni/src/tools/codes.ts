/** What any tool that reaches files or a Godot may fail with. */
export const ANY_CODE = [
  "E_SCHEMA_VALIDATION",
  "E_NOT_CONNECTED",
  "E_NOT_FOUND",
  "E_PERMISSION_DENIED",
  "E_TIMEOUT",
  "E_UNSUPPORTED",
  "E_INTERNAL",
] as const;
