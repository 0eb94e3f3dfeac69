import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createBudgetEventSender } from '#lambdas/limits/events.ts';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createMessageSender } from '#lambdas/platform/aws/sqs.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { findBatchCounters } from '../budgets/batch-counters.ts';
import { createRollupHandler } from './handler.ts';
import { toRollupRecord } from './increments.ts';
import { createQuarantine, createRollupDeadLetterQueue } from './quarantine.ts';
import { findRollupState } from './state.ts';
import { createCostRollupWriter } from './writer.ts';

const { COST_ROLLUPS_TABLE, BUDGETS_TABLE, ROLLUP_DEAD_LETTER_QUEUE_URL } = readEnvironment(
  'COST_ROLLUPS_TABLE',
  'BUDGETS_TABLE',
  'ROLLUP_DEAD_LETTER_QUEUE_URL',
);
const now = () => new Date();
const aws = { access: readAwsAccess(), now };
const client = createDocumentClient(new DynamoDBClient());
const table = { client, tableName: COST_ROLLUPS_TABLE };
const settlement = {
  budgets: { client, tableName: BUDGETS_TABLE },
  sendEvents: createBudgetEventSender(createEventSender(createJsonService({ service: 'events', ...aws }))),
  now,
};

export const handler = createRollupHandler({
  readRecord: toRollupRecord,
  quarantine: createQuarantine(table, now),
  findState: (organizationId) => findRollupState(table, organizationId),
  rollups: createCostRollupWriter(table, now),
  findCounters: (records, stateOf) => findBatchCounters(settlement, records, stateOf),
  deadLetters: createRollupDeadLetterQueue({
    queueUrl: ROLLUP_DEAD_LETTER_QUEUE_URL,
    sender: createMessageSender(createJsonService({ service: 'sqs', ...aws })),
  }),
});
