import { appendFile } from "node:fs/promises";
import type { AuditSink } from "@toolpact/contract";

const FLUSH_MS = 100;

/** Keeps records as lines of JSON, written together every tenth of a second. */
export function auditLog(path: string): AuditSink {
  let lines = "";
  return {
    write(record) {
      if (lines === "") setTimeout(flush, FLUSH_MS);
      lines += `${JSON.stringify(record)}\n`;
    },
  };

  function flush(): void {
    const text = lines;
    lines = "";
    void appendFile(path, text).catch((error) => console.error("The audit log cannot be written:", error));
  }
}
