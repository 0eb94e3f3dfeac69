import type { Directory } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { AuditTable } from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { BudgetsTable } from '#lambdas/limits/counters-table.ts';
import type { Log } from '#lambdas/platform/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { SendMail } from '../mail/mail.ts';
import type { ProfileStore } from '../members/profiles.ts';
import type { MemberStore } from '../members/store.ts';
import type { SessionStore } from '../sessions/store.ts';

export interface OrganizationSettings {
  /** Without a trailing slash, like `apiBaseUrl`. */
  dashboardOrigin: string;
  apiBaseUrl: string;
  /** Addresses and domains that may create organizations; `*` stands for all. */
  organizationCreators: readonly string[];
  entryRetentionDays: number;
}

/** Everything that the routes use. */
export interface OrganizationServices {
  settings: OrganizationSettings;
  accounts: AccountsTable;
  sessions: SessionStore;
  members: MemberStore;
  profiles: ProfileStore;
  directory: Directory;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The counters of the budgets. */
  budgets: BudgetsTable;
  costRollups: CostRollupsTable;
  auditTable: AuditTable;
  /** `null` without a sender: invitations are then only links. */
  sendMail: SendMail | null;
  now(): Date;
  log: Log;
}
