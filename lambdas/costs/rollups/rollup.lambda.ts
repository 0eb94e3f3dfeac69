/** Entry point of the rollup function, which adds the log entries of the stream to the sums of costs and budgets. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createBudgetEventSender } from '#lambdas/limits/budgets/events.ts';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createMessageSender } from '#lambdas/platform/aws/sqs.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { log, metricSettings, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { findBatchCounters } from '../budgets/batch-counters.ts';
import { removeMarks } from '../restored-entries.ts';
import { createEntryMetrics } from './entry-metrics.ts';
import { createRollupHandler } from './handler.ts';
import { createQuarantine, createRollupDeadLetterQueue } from './quarantine.ts';
import { toRollupRecord } from './row-updates.ts';
import { findRollupState } from './state.ts';
import { createCostRollupWriter } from './writer.ts';

const environment = readEnvironment(
  'COST_ROLLUPS_TABLE',
  'BUDGET_COUNTERS_TABLE',
  'ROLLUP_DEAD_LETTER_QUEUE_URL',
  'METRIC_MODELS',
);
const models: string[] = JSON.parse(environment.METRIC_MODELS);
const now = () => new Date();
const aws = { access: readAwsAccess(), now };
const client = createDocumentClient(new DynamoDBClient());
const table = { client, tableName: environment.COST_ROLLUPS_TABLE };
const eventBridge = createJsonService({ service: 'events', ...aws });
const settlement = {
  budgetCounters: { client, tableName: environment.BUDGET_COUNTERS_TABLE },
  sendEvents: createBudgetEventSender(createEventSender(eventBridge), metricSettings.stackName),
  now,
};

export const handler = withLogContext(
  createRollupHandler({
    readRecord: toRollupRecord,
    quarantine: createQuarantine(table, now),
    findState: (organizationId) => findRollupState(table, organizationId),
    rollupWriter: createCostRollupWriter(table, now),
    findCounters: (records, stateOf) => findBatchCounters(settlement, records, stateOf),
    removeMarks: (records) => removeMarks(table, records),
    deadLetters: createRollupDeadLetterQueue({
      queueUrl: environment.ROLLUP_DEAD_LETTER_QUEUE_URL,
      sender: createMessageSender(createJsonService({ service: 'sqs', ...aws })),
    }),
    publishMetrics: createEntryMetrics({ metrics: metricSettings, models, log, now }),
    log,
  }),
);
