type Cell = string | number | null;

/** Saves rows as a file that spreadsheets open. */
export function saveCsv(name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvOf(head, rows)], { type: "text/csv" }));
  link.download = `${name}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(cellOf).join(",")).join("\r\n");
}

/** A spreadsheet runs a text that begins like a formula, and strangers write some of these texts. */
function cellOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
