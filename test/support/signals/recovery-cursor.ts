import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { advanceRecoveredUntil } from '#lambdas/maintenance/recover-requests/recover-requests.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import type { LocalGateway } from '#local/local-gateway.ts';

/** Makes the first recovery begin now. Otherwise it would take twelve seconds to read the log of six hours. */
export async function skipEarlierRecovery({ connection }: LocalGateway): Promise<void> {
  const { dynamodb_endpoint: endpoint, region, outputs } = connection;
  const credentials = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const table = { client: createDocumentClient(client), tableName: outputs.CostRollupsTableName ?? '' };
  await advanceRecoveredUntil(table, Date.now() - 60_000);
  client.destroy();
}
