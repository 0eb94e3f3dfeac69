/** Entry of the rollup function. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createJsonService } from '../shared/aws/json-service.ts';
import { readAwsAccess, readEnvironment } from '../shared/environment.ts';
import { createCostRollupWriter } from '../shared/stores/cost-rollup-writer.ts';
import { createDocumentClient } from '../shared/stores/document-client.ts';
import { createMessageSender } from '../shared/stores/message-sender.ts';
import { createRollupDeadLetters } from '../shared/stores/rollup-dead-letters.ts';
import { rollupRecordOf } from '../shared/stores/rollup-record.ts';
import { createSetAsideRecords } from '../shared/stores/rollup-set-aside.ts';
import { findRollupState } from '../shared/stores/rollup-state-store.ts';
import { createRollupHandler } from './rollup-handler.ts';

const { COST_ROLLUPS_TABLE, ROLLUP_DEAD_LETTER_QUEUE_URL } = readEnvironment(
  'COST_ROLLUPS_TABLE',
  'ROLLUP_DEAD_LETTER_QUEUE_URL',
);
const now = () => new Date();
const table = { client: createDocumentClient(new DynamoDBClient()), tableName: COST_ROLLUPS_TABLE };

export const handler = createRollupHandler({
  rollups: createCostRollupWriter(table, now),
  setAside: createSetAsideRecords(table, now),
  deadLetters: createRollupDeadLetters({
    queueUrl: ROLLUP_DEAD_LETTER_QUEUE_URL,
    sender: createMessageSender(createJsonService({ service: 'sqs', access: readAwsAccess(), now })),
  }),
  readRecord: rollupRecordOf,
  findState: (organizationId) => findRollupState(table, organizationId),
});
