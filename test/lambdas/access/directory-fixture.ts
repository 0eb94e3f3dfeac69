/** An empty directory with an audit trail, whose clock the test controls. */
import { BatchWriteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { keyAccessKey, keyRecordKey, organizationKey } from '#lambdas/access/item-keys.ts';
import type { BudgetChangesTable } from '#lambdas/limits/budgets/pending-changes.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { createTestAuditTrail, type TestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables, type TestTables } from '#test/support/dynamodb/tables.ts';

export interface DirectoryFixture {
  tables: TestTables;
  table: BudgetChangesTable;
  directory: Directory;
  audit: TestAuditTrail;
  clock: { nowMs: number };
  /** As the clock shows it. */
  time(): string;
  createOrganization(fields?: Partial<Organization>): Promise<Organization>;
  /** A key's hash is its id, unless it is given. */
  createKey(organization: Organization, fields?: Partial<ApiKey>, hash?: string): Promise<ApiKey>;
  /** Writes the items of `createKey`, without records: many times as fast. */
  createKeys(organization: Organization, count: number, fields?: Partial<ApiKey>): Promise<void>;
  /** As if the organization had so many more current keys. */
  countFurtherKeys(organization: Organization, count: number): Promise<void>;
}

export async function createDirectoryFixture(database: EmbeddedDynamoDB): Promise<DirectoryFixture> {
  const tables = await createTables(database);
  const clock = { nowMs: Date.parse('2026-03-01T12:00:00.000Z') };
  const now = () => new Date(clock.nowMs);
  const table = { client: database.documentClient, tableName: tables.directory, now };
  const directory = createDirectoryStore(table);
  const audit = createTestAuditTrail(database, tables, now);
  const fixture: DirectoryFixture = {
    tables,
    table,
    directory,
    audit,
    clock,
    time: () => audit.now().toISOString(),
    async createOrganization(fields = {}) {
      const created_at = audit.now().toISOString();
      const organization = { id: newOrganizationId(), name: 'Acme', created_at, log_shards: 1, ...fields };
      await directory.createOrganization(organization, audit);
      return organization;
    },
    async createKey({ id }, fields = {}, hash) {
      const created_at = audit.now().toISOString();
      const apiKey = apiKeyRecord({ organization_id: id, created_at, ...fields });
      if (!(await directory.createApiKey(apiKey, hash ?? apiKey.id, audit)))
        throw new Error('No organization');
      return apiKey;
    },
    async createKeys(organization, count, fields = {}) {
      const organization_id = organization.id;
      const requests = Array.from({ length: count }).flatMap(() => {
        const apiKey = apiKeyRecord({ organization_id, created_at: audit.now().toISOString(), ...fields });
        const { id, expires_at, rotation, revoked_at } = apiKey;
        const recordKey = keyRecordKey({ organizationId: organization_id, archived: false }, id);
        const record = { ...recordKey, ...apiKey, key_hash: id };
        const access = { ...keyAccessKey(id), id, organization_id, expires_at, rotation, revoked_at };
        return [record, access].map((Item) => ({ PutRequest: { Item } }));
      });
      for (let first = 0; first < requests.length; first += 25) {
        const RequestItems = { [table.tableName]: requests.slice(first, first + 25) };
        await table.client.send(new BatchWriteCommand({ RequestItems }));
      }
      await fixture.countFurtherKeys(organization, count);
    },
    async countFurtherKeys({ id }, count) {
      await table.client.send(
        new UpdateCommand({
          TableName: table.tableName,
          Key: organizationKey(id),
          UpdateExpression: 'ADD current_keys :count',
          ExpressionAttributeValues: { ':count': count },
        }),
      );
    },
  };
  return fixture;
}

/**
 * Changes something after a certain call of an operation, such as the second `GetCommand`, before the caller can act on what it has
 * read.
 */
export function changedAfter<Table extends DirectoryTable>(
  table: Table,
  {
    operation,
    call = 1,
  }: { operation: 'BatchGetCommand' | 'GetCommand' | 'QueryCommand' | 'TransactWriteCommand'; call?: number },
  change: () => Promise<unknown>,
): Table {
  let calls = 0;
  const send = async (command: { constructor: { name: string } }) => {
    const output = await table.client.send(command as never);
    if (command.constructor.name === operation && ++calls === call) await change();
    return output;
  };
  const client: DynamoDBDocumentClient = Object.assign(Object.create(table.client), { send });
  return { ...table, client };
}
