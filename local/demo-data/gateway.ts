/** The running local gateway, as the demo data writes to it: with the administrator's credentials. */

import { exists } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { BudgetTables } from '#lambdas/limits/budgets/budgets.ts';
import { createDocumentClient, createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createPricing, type Pricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { createAdministratorClient } from '../aws/administrator-client.ts';
import { readEndpointPid } from '../aws/endpoint.ts';
import { type LocalConnection, readConnectionFile } from '../connection-file.ts';
import { administratorArn } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject, parseJson } from '../untyped-json.ts';

export interface LocalTables {
  organizationId: string;
  /** `null` when the stack has no dashboard. */
  dashboardUrl: string | null;
  directoryTable: BudgetTables['directoryTable'];
  budgetCounters: BudgetTables['budgetCounters'];
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  entryRetentionDays: number;
  pricing: Pricing;
  providerSettings: ProviderSettingsByName;
  audit: AuditTrail;
  close(): void;
}

const remedy = 'Start it with "npm start" in another terminal, then run "npm run demo-data" again.';

/**
 * Connects to the gateway that runs on the data directory.
 *
 * @throws LocalGatewayError if none is running, or it has no demo organization
 */
export async function openLocalGateway(dataDirectory: string, now: () => Date): Promise<LocalTables> {
  const connection = await readRunningConnection(dataDirectory);
  const tables = openLocalTables(connection, now);
  const organization = await createDirectoryStore(tables.directoryTable).findOrganization(
    tables.organizationId,
  );
  if (exists(organization)) return tables;
  tables.close();
  throw new LocalGatewayError(
    `The local gateway has no organization Demo (${tables.organizationId} is deleted). Restart "npm start", which creates a new one.`,
  );
}

type TableConnection = Pick<
  LocalConnection,
  'dynamodb_endpoint' | 'region' | 'outputs' | 'organization_id' | 'dashboard_url'
>;

async function readRunningConnection(dataDirectory: string): Promise<TableConnection> {
  const connection = readConnectionFile(dataDirectory);
  const { pid, dynamodb_endpoint, region, outputs, organization_id, dashboard_url = null } = connection;
  if (pid === undefined || dynamodb_endpoint === undefined) {
    throw new LocalGatewayError(`No local gateway is running on ${dataDirectory}. ${remedy}`);
  }
  // The file remains when the gateway is killed.
  if ((await readEndpointPid(dynamodb_endpoint)) !== pid) {
    throw new LocalGatewayError(`The local gateway does not respond at ${dynamodb_endpoint}. ${remedy}`);
  }
  if (region === undefined || outputs === undefined || organization_id === undefined) {
    throw new LocalGatewayError(`${dataDirectory}/local.json is invalid: restart the local gateway`);
  }
  return { dynamodb_endpoint, region, outputs, organization_id, dashboard_url };
}

export function openLocalTables(connection: TableConnection, now: () => Date): LocalTables {
  const { dynamodb_endpoint: endpoint, region, outputs, organization_id: organizationId } = connection;
  const output = (name: string): string => {
    const value = outputs[name];
    if (value === undefined) throw new LocalGatewayError(`The stack has no output ${name}`);
    return value;
  };
  const administrator = createAdministratorClient({ endpoint, region });
  const client = createDocumentClient(administrator);
  const table = (name: string) => ({ client, tableName: output(name), now });
  const prices = { calls: createSdkTableCalls(client), tableName: output('PricesTableName'), now };
  return {
    organizationId,
    dashboardUrl: connection.dashboard_url,
    directoryTable: table('DirectoryTableName'),
    budgetCounters: table('BudgetCountersTableName'),
    logEntries: table('LogEntriesTableName'),
    costRollups: table('CostRollupsTableName'),
    entryRetentionDays: Number(output('EntryRetentionDays')),
    pricing: createPricing(prices),
    providerSettings: asObject(
      parseJson(output('ProviderSettings')),
      'ProviderSettings',
    ) as ProviderSettingsByName,
    audit: createAuditTrail(
      { ...table('AuditTrailTableName'), retentionDays: Number(output('AuditRetentionDays')) },
      { type: 'operator', id: administratorArn, name: null, email: null },
      now,
    ),
    close: () => administrator.destroy(),
  };
}
