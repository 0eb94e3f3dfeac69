/** Organizations with entries and rollups, and runs of the verification at any time. Pauses only advance the clock. */
import type { Organization } from '#lambdas/access/directory.ts';
import {
  type VerificationDependencies,
  verifyRollups,
} from '#lambdas/maintenance/verify-rollups/verify-rollups.ts';
import type { RepairTables } from '#test/lambdas/costs/repair/support/repair-fixture.ts';
import {
  createSequentialRepairFixture,
  type SequentialRepairFixture,
} from '#test/lambdas/costs/repair/support/sequential-repair-fixture.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { collectLogLines, type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';

export interface VerificationFixture {
  /** In the order in which they are verified, all with one entry of the day before that has been counted. */
  organizations: SequentialRepairFixture[];
  run(atMs: number, options?: RunOptions): Promise<LogLine[]>;
}

export interface RunOptions {
  /** Aborts the run when it has made this many calls to DynamoDB. */
  maxCalls?: number;
  /** Called when the run pauses. */
  onWait?(): Promise<void>;
  changes?: Partial<VerificationDependencies>;
}

export async function createVerificationTables({
  client,
  documentClient,
}: EmbeddedDynamoDB): Promise<RepairTables> {
  const [logEntries, costRollups] = await Promise.all([
    createTable(client, 'LogEntries', { key: ['organization_shard', 'id'] }),
    createTable(client, 'CostRollups', { key: ['pk', 'sk'] }),
  ]);
  return { client: documentClient, logEntries: logEntries.name, costRollups: costRollups.name };
}

export async function createVerificationFixture(
  tables: RepairTables,
  settings: { now: string; entryAt: string; count: number },
): Promise<VerificationFixture> {
  const organizations = Array.from({ length: settings.count }, () =>
    createSequentialRepairFixture(tables, settings.now),
  ).sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  for (const organization of organizations) {
    await organization.writeEntry(settings.entryAt, { model: 'a' });
    await organization.processStream();
  }
  return {
    organizations,
    async run(atMs, { maxCalls = Number.POSITIVE_INFINITY, onWait, changes = {} } = {}) {
      let nowMs = atMs;
      let calls = 0;
      const controller = new AbortController();
      const afterCall = () => {
        if (++calls >= maxCalls) controller.abort();
      };
      const client = Object.create(tables.client, {
        send: {
          value: (command: Parameters<typeof tables.client.send>[0]) => {
            afterCall();
            return tables.client.send(command);
          },
        },
      });
      const now = () => new Date(nowMs);
      const lines: LogLine[] = [];
      const dependencies: VerificationDependencies = {
        directory: {
          listOrganizations: async () =>
            organizations.map(({ organizationId }) => ({ id: organizationId }) as Organization),
          logShardsOf: async () => 1,
        },
        logEntries: { client, tableName: tables.logEntries, now },
        costRollups: { client, tableName: tables.costRollups },
        now,
        async wait(milliseconds) {
          controller.signal.throwIfAborted();
          nowMs += milliseconds;
          await onWait?.();
        },
        log: collectLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))),
        ...changes,
      };
      await verifyRollups(dependencies, { atMs, signal: controller.signal });
      return lines;
    },
  };
}
