import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { readAwsAccess, readEnvironment } from '#lambdas/platform/environment.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { withLogContext } from '#lambdas/platform/log.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { createLostEntriesHandler } from './handler.ts';

const environment = readEnvironment(
  'LOG_ENTRIES_TABLE',
  'ENTRY_RETENTION_DAYS',
  'PRICES_TABLE',
  'COST_ROLLUPS_TABLE',
  'PROVIDERS',
);
const now = () => new Date();
const calls = createJsonTableCalls(createJsonService({ service: 'dynamodb', access: readAwsAccess(), now }));
const table = { calls, tableName: environment.LOG_ENTRIES_TABLE, now };

/** With the AWS SDK and the price table, which few entries need. */
const loadCorrection = lazy(async () => {
  const { createCorrection } = await import('./correction.ts');
  return createCorrection({
    customPrices: { calls, tableName: environment.PRICES_TABLE, now, timeoutMs: 2_000 },
    settings: JSON.parse(environment.PROVIDERS),
    logEntriesTable: environment.LOG_ENTRIES_TABLE,
    costRollupsTable: environment.COST_ROLLUPS_TABLE,
    now,
  });
});

export const handler = withLogContext(
  createLostEntriesHandler({
    writer: createLogEntryWriter(table, Number(environment.ENTRY_RETENTION_DAYS)),
    async correct(entry) {
      const correct = await loadCorrection();
      await correct(entry);
    },
  }),
);
