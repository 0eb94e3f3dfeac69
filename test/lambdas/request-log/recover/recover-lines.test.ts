import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readLogFile } from '#cli/logs/log-sources.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntryWriter } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import { zeroCounts } from '#lambdas/request-log/recover/restore-entry.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';
import { logEntry } from '#test/support/log-entries.ts';

const forwarded = JSON.stringify({ event: 'request_forwarded', entry: serializeLogEntry(logEntry()) });

it('stops reading standard input when aborted, even if the input has not ended', async () => {
  const stdin = new PassThrough();
  const controller = new AbortController();
  stdin.write(`${forwarded}\n`);
  const batches: string[][] = [];
  const reading = (async () => {
    for await (const lines of readLogFile('-', {
      terminal: { input: stdin, environment: {} },
      signal: controller.signal,
    }))
      batches.push(lines);
  })();
  controller.abort();
  await reading;
  expect(batches.flat().length).toBeLessThanOrEqual(1);
});

const noWrites: LogEntryWriter = {
  async put() {
    throw new Error('Nothing should have been restored');
  },
};

it('puts back no interrupted requests when aborted before the last line', async () => {
  const controller = new AbortController();
  const counts = { ...zeroCounts };
  const client = createDocumentClient(await unreachableClient());
  const recovering = recoverLines({
    target: {
      logEntries: { client, tableName: 'LogEntries', now: () => new Date() },
      writer: noWrites,
      retentionDays: 90,
      findPrice: async () => null,
      isDryRun: false,
    },
    source: (async function* () {
      yield [forwarded];
      controller.abort();
    })(),
    window: allTime,
    processHasExited: true,
    hasQueuedEntries: async () => false,
    job: { signal: controller.signal, report: () => {} },
    counts,
  });
  await expect(recovering).rejects.toThrow('This operation was aborted');
  expect(counts).toEqual({ ...zeroCounts, lines: 1 });
});

it('looks up placeholders in batches, so that memory stays bounded', async () => {
  let lookups = 0;
  const send = async () => {
    lookups += 1;
    return { Item: {} };
  };
  const client = Object.create(createDocumentClient(await unreachableClient()), { send: { value: send } });
  const counts = { ...zeroCounts };
  const lines = Array.from({ length: 1000 }, () =>
    JSON.stringify({ event: 'request_forwarded', entry: serializeLogEntry(logEntry()) }),
  );
  const lookupsAfterBatch: number[] = [];
  await recoverLines({
    target: {
      logEntries: { client, tableName: 'LogEntries', now: () => new Date() },
      writer: noWrites,
      retentionDays: 90,
      findPrice: async () => null,
      isDryRun: false,
    },
    source: (async function* () {
      yield lines.slice(0, 999);
      lookupsAfterBatch.push(lookups);
      yield lines.slice(999);
      lookupsAfterBatch.push(lookups);
    })(),
    window: allTime,
    processHasExited: true,
    hasQueuedEntries: async () => false,
    job: { signal: new AbortController().signal, report: () => {} },
    counts,
  });
  expect(lookupsAfterBatch).toEqual([0, 1000]);
  expect(counts).toEqual({ ...zeroCounts, lines: 1000, alreadyPresent: 1000 });
});
