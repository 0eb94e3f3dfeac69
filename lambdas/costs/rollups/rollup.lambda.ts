import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createMessageSender } from '#lambdas/platform/aws/sqs.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { createRollupHandler } from './handler.ts';
import { toRollupRecord } from './increments.ts';
import { createQuarantine, createRollupDeadLetterQueue } from './quarantine.ts';
import { findRollupState } from './state.ts';
import { createCostRollupWriter } from './writer.ts';

const { COST_ROLLUPS_TABLE, ROLLUP_DEAD_LETTER_QUEUE_URL } = readEnvironment(
  'COST_ROLLUPS_TABLE',
  'ROLLUP_DEAD_LETTER_QUEUE_URL',
);
const now = () => new Date();
const table = { client: createDocumentClient(new DynamoDBClient()), tableName: COST_ROLLUPS_TABLE };

export const handler = createRollupHandler({
  readRecord: toRollupRecord,
  quarantine: createQuarantine(table, now),
  findState: (organizationId) => findRollupState(table, organizationId),
  rollups: createCostRollupWriter(table, now),
  deadLetters: createRollupDeadLetterQueue({
    queueUrl: ROLLUP_DEAD_LETTER_QUEUE_URL,
    sender: createMessageSender(createJsonService({ service: 'sqs', access: readAwsAccess(), now })),
  }),
});
