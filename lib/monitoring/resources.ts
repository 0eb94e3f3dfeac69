/** The parts of the stack that are monitored. */

import type { GatewayRestApi } from '../api/rest-api.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import type { AuditTrailTable } from '../data/audit-trail-table.ts';
import type {
  BudgetCountersTable,
  ConversationStateTable,
  CostRollupsTable,
  DirectoryTable,
  LogEntriesTable,
  PricesTable,
} from '../data/tables.ts';
import type { BudgetChanges } from '../functions/budget-changes.ts';
import type { ChatFunction } from '../functions/chat-function.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import type { ModelsFunction, ReportFunctions } from '../functions/json-functions.ts';
import type { LogRecovery } from '../functions/log-recovery.ts';
import type { Maintenance } from '../functions/maintenance.ts';
import type { RollupFunction } from '../functions/rollup-function.ts';
import type { Settings } from '../settings/settings.ts';

export interface MonitoredResources {
  settings: Settings;
  stackName: string;
  restApi: GatewayRestApi;
  chat: ChatFunction;
  models: ModelsFunction;
  reports: ReportFunctions;
  logRecovery: LogRecovery;
  rollup: RollupFunction;
  budgetChanges: BudgetChanges;
  maintenance: Maintenance;
  canary: GatewayFunction | null;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  prices: PricesTable;
  budgetCounters: BudgetCountersTable;
  conversationState: ConversationStateTable;
  auditTrail: AuditTrailTable;
  dashboard: Dashboard | null;
}

/** The functions whose callers have API keys. */
export function apiFunctions({ chat, models, reports }: MonitoredResources): GatewayFunction[] {
  return [chat.function, models, reports.logs, reports.log, reports.costs];
}

export function dashboardFunctions({ dashboard }: MonitoredResources): readonly GatewayFunction[] {
  return dashboard?.functions ?? [];
}

/** The functions that streams and a queue invoke. */
export function eventSourceFunctions(resources: MonitoredResources): GatewayFunction[] {
  const { rollup, logRecovery, budgetChanges, dashboard } = resources;
  const keyRevocations = dashboard === null ? [] : [dashboard.keyRevocations];
  return [rollup.function, logRecovery.function, budgetChanges.function, ...keyRevocations];
}

export function scheduledFunctions({ maintenance, canary }: MonitoredResources): GatewayFunction[] {
  const { recoverRequests, verifyRollups } = maintenance;
  return [recoverRequests, verifyRollups, ...(canary === null ? [] : [canary])];
}

export function allFunctions(resources: MonitoredResources): GatewayFunction[] {
  return [
    ...apiFunctions(resources),
    ...eventSourceFunctions(resources),
    ...scheduledFunctions(resources),
    ...dashboardFunctions(resources),
  ];
}
