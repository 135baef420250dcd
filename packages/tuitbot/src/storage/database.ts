import type { AccessTables } from "./tables/access-tables.ts";
import type { ApprovalTables } from "./tables/approval-tables.ts";
import type { AuditTables } from "./tables/audit-tables.ts";
import type { CounterTables } from "./tables/counter-tables.ts";
import type { DraftTables } from "./tables/draft-tables.ts";
import type { NoticeTables } from "./tables/notice-tables.ts";
import type { PublicationTables } from "./tables/publication-tables.ts";
import type { ReceiptTables } from "./tables/receipt-tables.ts";
import type { ScheduleTables } from "./tables/schedule-tables.ts";
import type { SpendTables } from "./tables/spend-tables.ts";

/**
 * Keyed by X account id, except agents. Epoch milliseconds, micro-dollars, JSON text, and flags 0 or 1, on
 * both engines.
 */
export interface Database
  extends ReceiptTables,
    SpendTables,
    ApprovalTables,
    AuditTables,
    PublicationTables,
    ScheduleTables,
    DraftTables,
    AccessTables,
    NoticeTables,
    CounterTables {}
