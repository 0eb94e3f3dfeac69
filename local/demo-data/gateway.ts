/** The running local gateway, as the demo data writes to it: with the administrator's credentials. */
import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import { type ApiKey, exists } from '#lambdas/access/directory.ts';
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
import { createKey } from '../demo/access.ts';
import { administratorArn } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asObject, parseJson } from '../untyped-json.ts';
import { type DemoKeyName, demoKeyNames } from './workloads.ts';

export interface LocalTables extends BudgetTables {
  organizationId: string;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  entryRetentionDays: number;
  pricing: Pricing;
  providerSettings: ProviderSettingsByName;
  audit: AuditTrail;
  close(): void;
}

const remedy = 'Start it with "npm start" in another terminal, then run "npm run demo-data" again.';

/** Throws a `LocalGatewayError` if no gateway is running on the data directory. */
export async function readRunningConnection(dataDirectory: string): Promise<LocalConnection> {
  const connection = readConnectionFile(dataDirectory);
  const { pid, dynamodb_endpoint: endpoint } = connection;
  if (pid === undefined || endpoint === undefined)
    throw new LocalGatewayError(`No local gateway is running on ${dataDirectory}. ${remedy}`);
  // The file remains when the gateway is killed.
  if ((await readEndpointPid(endpoint)) !== pid)
    throw new LocalGatewayError(`The local gateway does not respond at ${endpoint}. ${remedy}`);
  return connection as LocalConnection;
}

export function openLocalTables(connection: LocalConnection, now: () => Date): LocalTables {
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
  const settings = asObject(parseJson(output('ProviderSettings')), 'ProviderSettings');
  return {
    organizationId,
    directoryTable: table('DirectoryTableName'),
    budgetCounters: table('BudgetCountersTableName'),
    logEntries: table('LogEntriesTableName'),
    costRollups: table('CostRollupsTableName'),
    entryRetentionDays: Number(output('EntryRetentionDays')),
    pricing: createPricing(prices),
    providerSettings: settings as ProviderSettingsByName,
    audit: createAuditTrail(
      { ...table('AuditTrailTableName'), retentionDays: Number(output('AuditRetentionDays')) },
      { type: 'operator', id: administratorArn, name: null, email: null },
      now,
    ),
    close: () => administrator.destroy(),
  };
}

/** Creates the keys whose name no active one of the organization has. Nobody knows their secrets: only log entries name them. */
export async function ensureDemoKeys({
  directoryTable,
  audit,
  organizationId,
}: Pick<LocalTables, 'directoryTable' | 'audit' | 'organizationId'>): Promise<Record<DemoKeyName, ApiKey>> {
  const directory = createDirectoryStore(directoryTable);
  const organization = await directory.findOrganization(organizationId);
  if (!exists(organization)) {
    throw new LocalGatewayError(
      `The local gateway has no organization Demo (${organizationId} is deleted). Restart "npm start", which creates a new one.`,
    );
  }
  const known = await directory.listCurrentApiKeys(organizationId);
  const keys: Partial<Record<DemoKeyName, ApiKey>> = {};
  for (const name of demoKeyNames) {
    const existing = known.find((key) => key.name === name && isActiveApiKey(key, audit.now()));
    keys[name] = existing ?? (await createKey(directory, audit, organization, name)).apiKey;
  }
  return keys as Record<DemoKeyName, ApiKey>;
}
