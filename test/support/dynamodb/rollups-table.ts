import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { EmbeddedDynamoDB } from './embedded.ts';
import { createTable } from './tables.ts';

export async function createRollupsTable({
  client,
  documentClient,
}: EmbeddedDynamoDB): Promise<CostRollupsTable> {
  const { name } = await createTable(client, 'CostRollups', { key: ['pk', 'sk'] });
  return { client: documentClient, tableName: name };
}
