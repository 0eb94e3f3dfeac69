/** Entry of the rollup function. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readEnvironment } from '../shared/environment.ts';
import { createCostRollupWriter } from '../shared/stores/cost-rollup-writer.ts';
import { createDocumentClient } from '../shared/stores/document-client.ts';
import { findRollupState } from '../shared/stores/rollup-state-store.ts';
import { createRollupHandler } from './rollup-handler.ts';

const { COST_ROLLUPS_TABLE } = readEnvironment('COST_ROLLUPS_TABLE');
const now = () => new Date();
const table = { client: createDocumentClient(new DynamoDBClient()), tableName: COST_ROLLUPS_TABLE };

export const handler = createRollupHandler({
  rollups: createCostRollupWriter(table, now),
  findState: (organizationId) => findRollupState(table, organizationId),
  now,
});
