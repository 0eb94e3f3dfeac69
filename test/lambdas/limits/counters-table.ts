/** An empty table of counters in an embedded DynamoDB of its own. */
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

interface CountersTable {
  database: EmbeddedDynamoDB;
  budgetCounters: BudgetCountersTable;
}

export async function startCountersTable(): Promise<CountersTable> {
  const database = await startEmbeddedDynamoDB();
  const { name: tableName } = await createTable(database.client, 'BudgetCounters', { key: ['counter_key'] });
  return { database, budgetCounters: { client: database.documentClient, tableName } };
}
