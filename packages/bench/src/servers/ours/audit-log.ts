import { appendFile } from "node:fs/promises";
import type { AuditRecord, AuditSink } from "@toolpact/contract";

const FLUSH_MS = 100;

/** JSON lines, written ten times a second. */
export function auditLog(path: string): AuditSink {
  let waiting: AuditRecord[] = [];
  return {
    write(record) {
      if (waiting.length === 0) setTimeout(flush, FLUSH_MS);
      waiting.push(record);
    },
  };

  function flush(): void {
    const lines = waiting.map((record) => `${JSON.stringify(record)}\n`);
    waiting = [];
    void appendFile(path, lines.join("")).catch((error) =>
      console.error("The audit log cannot be written:", error),
    );
  }
}
