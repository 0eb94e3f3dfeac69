import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, runAdminProcess, startAdminFixture } from '#test/support/admin-command.ts';
import {
  accountEnvironment,
  awsCredentials,
  describeStacksResponse,
} from '#test/support/aws/fake-account.ts';
import { type FakeAwsService, startFakeAwsService } from '#test/support/aws/fake-service.ts';
import { logEntry } from '#test/support/log-entries.ts';

const hourMs = 3_600_000;
const fromMs = Date.now() - 24 * hourMs;
const toMs = fromMs + hourMs;

let gateway: AdminFixture;
let cloudFormation: FakeAwsService;
beforeAll(async () => {
  gateway = await startAdminFixture();
  cloudFormation = await startFakeAwsService(() => describeStacksResponse(gateway.outputs));
});
afterAll(async () => {
  await gateway.stop();
  await cloudFormation.stop();
});

const entryAt = (ms: number) => logEntry({ id: createLogId(ms), session_id: 'secret' });
const logEvent = (event: string, entry: LogEntry) => ({
  timestamp: Date.parse(entry.created_at),
  message: JSON.stringify({
    timestamp: entry.created_at,
    level: 'INFO',
    event,
    request_id: '0a1b',
    entry: serializeLogEntry(entry),
  }),
});
const find = ({ organization_id, id }: LogEntry) =>
  createLogEntryReader({
    client: gateway.database.documentClient,
    tableName: gateway.tables.logEntries,
    now: () => new Date(),
  }).find(organization_id, id);

const accessDenied = { status: 400, body: '{"__type":"AccessDeniedException","message":"You may not"}' };

async function recover(pages: { events: object[]; nextToken?: string }[]) {
  const responses = pages.map((page) => ({ body: JSON.stringify(page) }));
  const service = await startFakeAwsService(() => responses.shift() ?? accessDenied);
  const window = ['--from', new Date(fromMs).toISOString(), '--to', new Date(toMs).toISOString()];
  const environment = {
    ...accountEnvironment({
      gateway,
      cloudFormation: cloudFormation.endpoint,
      cloudWatchLogs: service.endpoint,
    }),
    ...awsCredentials,
  };
  const stack = ['--stack', 'Production', '--region', 'eu-west-1', '--json'];
  const result = await runAdminProcess(['logs', 'recover', ...window, ...stack], { environment });
  await service.stop();
  const requests = service.requests.map(({ operation, body }) => ({ operation, ...JSON.parse(body) }));
  return { ...result, requests };
}

it('reads the log lines with entries page by page, until every request of the window must have ended', async () => {
  const [complete, interrupted] = [entryAt(fromMs), entryAt(toMs - 1)];
  const lateInterrupted = entryAt(toMs);
  const lateComplete = entryAt(toMs + 15 * 60_000);

  const { exitCode, stdout, stderr, requests } = await recover([
    {
      events: [logEvent('request_forwarded', interrupted), logEvent('request_forwarded', complete)],
      nextToken: 'two',
    },
    { events: [], nextToken: 'three' },
    {
      events: [
        logEvent('request_forwarded', lateInterrupted),
        logEvent('request_completed', complete),
        logEvent('request_completed', lateComplete),
      ],
    },
  ]);

  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    lines_read: 5,
    restored: 2,
    interrupted: 1,
    already_present: 0,
    running: 0,
  });
  const request = {
    operation: 'FilterLogEvents',
    logGroupName: '/aws/lambda/chat',
    startTime: fromMs,
    endTime: toMs + 16 * 60_000 - 1,
    filterPattern: '?"request_forwarded" ?"request_completed"',
  };
  expect(requests).toEqual([request, { ...request, nextToken: 'two' }, { ...request, nextToken: 'three' }]);
  const stored = await Promise.all([complete, interrupted, lateInterrupted, lateComplete].map(find));
  expect(stored).toEqual([complete, interrupted, null, null]);
  expect(stdout).not.toContain('secret');
});

it('fails when CloudWatch rejects the request', async () => {
  const { exitCode, stdout, stderr } = await recover([{ events: [], nextToken: 'two' }]);

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  // After the lines of its progress, if the command has taken long.
  expect(stderr.split('\n').slice(-2)).toEqual(['error: AccessDeniedException: You may not', '']);
});
