/** Entry of the rollup function. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readEnvironment } from '../shared/environment.ts';
import { createCostRollupWriter } from '../shared/stores/cost-rollup-store.ts';
import { createDocumentClient } from '../shared/stores/document-client.ts';
import { createRollupHandler } from './rollup-handler.ts';

const { COST_ROLLUPS_TABLE } = readEnvironment('COST_ROLLUPS_TABLE');

export const handler = createRollupHandler(
  createCostRollupWriter({
    client: createDocumentClient(new DynamoDBClient()),
    tableName: COST_ROLLUPS_TABLE,
  }),
);
