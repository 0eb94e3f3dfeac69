/** Entry point of the function behind the dashboard's organizations, their members, keys, budgets and audit trail. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import type { SendMail } from '../mail.ts';
import { createOrganizationsHandler } from './handler.ts';

const environment = readEnvironment(
  'ACCOUNTS_TABLE',
  'DIRECTORY_TABLE',
  'BUDGET_COUNTERS_TABLE',
  'COST_ROLLUPS_TABLE',
  'AUDIT_TRAIL_TABLE',
  'AUDIT_RETENTION_DAYS',
  'DASHBOARD_ORIGIN',
  'API_BASE_URL',
  'ORGANIZATION_CREATORS',
  'ENTRY_RETENTION_DAYS',
  'MAIL_FROM',
);
const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
const accounts = { client, tableName: environment.ACCOUNTS_TABLE };
const directoryTable = { client, tableName: environment.DIRECTORY_TABLE };

const loadMail = lazy(async () => {
  const { createSesMail } = await import('../ses-mail.ts');
  return createSesMail(environment.MAIL_FROM);
});
const sendMail: SendMail = async (mail) => (await loadMail())(mail);

export const handler = withLogContext(
  createOrganizationsHandler({
    settings: {
      dashboardOrigin: environment.DASHBOARD_ORIGIN,
      apiBaseUrl: environment.API_BASE_URL,
      organizationCreators: JSON.parse(environment.ORGANIZATION_CREATORS),
      entryRetentionDays: Number(environment.ENTRY_RETENTION_DAYS),
    },
    accounts,
    directory: createDirectoryStore(directoryTable),
    directoryTable,
    budgetCounters: { client, tableName: environment.BUDGET_COUNTERS_TABLE },
    costRollups: { client, tableName: environment.COST_ROLLUPS_TABLE },
    auditTable: {
      client,
      tableName: environment.AUDIT_TRAIL_TABLE,
      retentionDays: Number(environment.AUDIT_RETENTION_DAYS),
    },
    sendMail: environment.MAIL_FROM === '' ? null : sendMail,
    now: () => new Date(),
    log,
  }),
);
