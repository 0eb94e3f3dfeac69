/** Calls the local AWS endpoint with the client of the functions, and with the AWS SDK. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createCloudWatchLogs, readLogGroups } from '#local/aws/cloudwatch-logs.ts';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createStackFixture } from '#test/local/stack-fixture.ts';
import { createEndpointFixture } from './endpoint-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'logs-'));
const logFile = join(directory, 'Reader.log');
const previousLogFile = join(directory, 'Reader.previous.log');
const logGroupName = 'Fixture-ReaderLogGroup';
const stack = createStackFixture({
  Reader0123ABCD: {
    Type: 'AWS::Lambda::Function',
    Properties: { LoggingConfig: { LogGroup: { Ref: 'ReaderLogGroup' } } },
  },
  ReaderLogGroup: { Type: 'AWS::Logs::LogGroup' },
});
let listener: HttpListener;

beforeAll(async () => {
  listener = await openHttpListener(0);
  const resource = String(stack.resolve({ 'Fn::GetAtt': ['ReaderLogGroup', 'Arn'] }));
  listener.serve(
    createEndpointFixture({
      callers: { reader: [{ actions: ['logs:FilterLogEvents'], resources: [resource] }] },
      cloudWatchLogs: createCloudWatchLogs('us-east-1', readLogGroups(stack, directory)),
    }),
  );
});
afterAll(async () => {
  await listener.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  for (const file of [logFile, previousLogFile]) rmSync(file, { force: true });
});

const startMs = Date.UTC(2026, 0, 31, 9);

const line = (offsetMs: number, event: string, padding = '') =>
  JSON.stringify({ timestamp: new Date(startMs + offsetMs).toISOString(), event, padding });

const request = {
  logGroupName,
  startTime: startMs,
  endTime: startMs + 1000,
  filterPattern: '?"first" ?"second"',
};

async function readMessages(): Promise<string[]> {
  const client = new CloudWatchLogsClient({
    endpoint: listener.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'reader', secretAccessKey: 'any' },
  });
  const pages = await Array.fromAsync(paginateFilterLogEvents({ client }, { ...request }));
  client.destroy();
  return pages.flatMap(({ events = [] }) => events.map(({ message = '' }) => message));
}

const filter = (changes: object, accessKeyId = 'reader') =>
  createJsonService({
    service: 'logs',
    access: {
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey: 'any' },
      endpoints: { logs: listener.origin },
    },
    now: () => new Date(),
  }).call('FilterLogEvents', { ...request, ...changes });

describe('FilterLogEvents', () => {
  it("returns the lines of the function's log that contain a term, from the start to the end, both inclusive", async () => {
    const lines = [
      line(-1, 'first'),
      line(0, 'first'),
      'first, without a timestamp',
      line(500, 'third'),
      line(1000, 'second'),
      line(1001, 'second'),
    ];
    writeFileSync(logFile, `${lines.join('\n')}\n${line(700, 'first: not complete yet')}`);

    expect(await readMessages()).toEqual([lines[1], lines[4]]);
    // The second page is that of the current file.
    const { nextToken, events } = await filter({});
    expect(events).toEqual([]);
    expect((await filter({ endTime: startMs, nextToken })).events).toEqual([
      { timestamp: startMs, message: lines[1] },
    ]);
  });

  it('returns long logs page by page, beginning with the file before the last rotation', async () => {
    const previous = Array.from({ length: 50 }, (_, index) => line(index, 'first', 'ü'.repeat(5000)));
    const current = [line(100, 'second', 'a'.repeat(200_000)), line(101, 'first')];
    writeFileSync(previousLogFile, previous.map((text) => `${text}\n`).join(''));
    writeFileSync(logFile, current.map((text) => `${text}\n`).join(''));

    const messages = await readMessages();

    expect(messages.map((message) => message.slice(0, 40))).toEqual(
      [...previous, ...current].map((message) => message.slice(0, 40)),
    );
    expect(messages.join('') === [...previous, ...current].join('')).toBe(true);
    expect(await filter({})).toMatchObject({ nextToken: expect.any(String) });
  });

  it('returns nothing before the function has logged anything', async () => {
    expect(await readMessages()).toEqual([]);
  });

  it('rejects a function whose role does not grant reading the log group', async () => {
    await expect(filter({ logGroupName: 'Other' })).rejects.toMatchObject({
      name: 'AccessDeniedException',
      body: { message: expect.stringContaining('log-group:Other:* because no identity-based policy allows') },
    });
  });

  it('rejects a log group that does not exist', async () => {
    await expect(filter({ logGroupName: 'Other' }, 'local-admin')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it.each([
    ['a pattern that is not emulated', { filterPattern: '{ $.event = "first" }' }],
    ['no pattern', { filterPattern: undefined }],
    ['another parameter', { limit: 10 }],
    ['a token that it did not return', { nextToken: 'x' }],
  ])('rejects %s', async (_, changes) => {
    await expect(filter(changes)).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});
