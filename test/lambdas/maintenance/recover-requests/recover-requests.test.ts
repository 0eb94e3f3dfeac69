import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findRecoveredUntil, maxChunkMs } from '#lambdas/maintenance/recover-requests/recover-requests.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRecoveryFixture, type RecoveryFixture } from './recovery-fixture.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 31, 9);
const at = (minutes: number) => startMs + minutes * minuteMs;
const time = (minutes: number) => new Date(at(minutes)).toISOString();

let database: EmbeddedDynamoDB;
let fixture: RecoveryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
beforeEach(async () => {
  fixture = await createRecoveryFixture(database);
});
afterAll(() => database.stop());

const find = ({ organization_id, id }: LogEntry) =>
  createLogEntryReader(fixture.dependencies.target.logEntries).find(organization_id, id);
const cursor = async () => {
  const foundMs = await findRecoveredUntil(fixture.dependencies.costRollups);
  return foundMs === null ? null : (foundMs - startMs) / minuteMs;
};

const noCounts = {
  restored: 0,
  interrupted: 0,
  already_present: 0,
  running: 0,
  waiting: 0,
  unreadable: 0,
};
const result = (fields: object) => ({
  level: 'INFO',
  event: 'requests_recovered',
  ...noCounts,
  complete: true,
  queued_entries: 0,
  dead_letters: 0,
  ...fields,
});

describe('recoverRequests', () => {
  it('restores entries that are missing, complete if the request had ended, else as interrupted', async () => {
    const killed = fixture.logRequest({ receivedMs: at(0) });
    const ended = fixture.logRequest({ receivedMs: at(1), completedMs: at(2) });
    const written = fixture.logRequest({ receivedMs: at(3), completedMs: at(4) });
    const repriced = { ...written.complete, cost_usd: '9' };
    await createSdkLogEntryWriter(fixture.dependencies.target.logEntries, 90).put(repriced);

    const lines = await fixture.run(at(30));

    const recovered = { level: 'INFO', event: 'entry_recovered', organization_id: 'org_AAAAAAAAAAAAAAAA' };
    expect(lines).toEqual([
      { ...recovered, log_id: ended.complete.id, outcome: 'completed', source: 'request_completed' },
      { ...recovered, log_id: killed.placeholder.id, outcome: 'interrupted', source: 'request_forwarded' },
      result({
        from: time(14 - 6 * 60),
        to: time(14),
        // Each chunk reads on past its end.
        lines_read: 10,
        restored: 2,
        interrupted: 1,
        already_present: 1,
        RecoveryRuns: 1,
        RecoveredEntries: 2,
      }),
    ]);
    expect(await Promise.all([killed, ended, written].map(({ complete }) => find(complete)))).toEqual([
      killed.placeholder,
      ended.complete,
      repriced,
    ]);
  });

  it('goes on where the last run ended', async () => {
    await fixture.run(at(0));
    const [early, late] = [at(-1), at(14) - 1].map((receivedMs) => fixture.logRequest({ receivedMs }));
    const first = await fixture.run(at(15));
    const second = await fixture.run(at(30));
    const third = await fixture.run(at(30));

    expect(first.at(-1)).toMatchObject({ from: time(-16), to: time(-1), restored: 0, RecoveryRuns: 1 });
    expect(second.at(-1)).toMatchObject({ from: time(-1), to: time(14), restored: 2, RecoveryRuns: 1 });
    expect(third).toEqual([result({ from: time(14), to: time(14), lines_read: 0, RecoveryRuns: 1 })]);
    expect(await Promise.all([early, late].map((request) => request && find(request.complete)))).toEqual([
      early?.placeholder,
      late?.placeholder,
    ]);
  });

  it('leaves requests that may still be running to the next run', async () => {
    const request = fixture.logRequest({ receivedMs: at(0), completedMs: at(15) });

    const before = await fixture.run(at(16));
    const stored = await find(request.complete);
    const after = await fixture.run(at(16) + 1);

    expect(before.at(-1)).toMatchObject({ to: time(0), restored: 0 });
    expect(stored).toBeNull();
    expect(after.at(-1)).toMatchObject({ restored: 1, interrupted: 0 });
    expect(await find(request.complete)).toEqual(request.complete);
  });

  it('marks no request as interrupted while entries are queued, restores the others, and comes back to it', async () => {
    await fixture.run(at(0));
    const request = fixture.logRequest({ receivedMs: at(0) });
    const ended = fixture.logRequest({ receivedMs: at(60), completedMs: at(61) });
    const changes = { countQueuedEntries: async () => 2, countDeadLetters: async () => 1 };

    const waiting = await fixture.run(at(90), { changes });
    const cursorWhileWaiting = await cursor();
    const done = await fixture.run(at(91));

    expect(waiting).toMatchObject([
      { event: 'entry_recovered', log_id: ended.complete.id },
      result({
        level: 'ERROR',
        from: time(-16),
        to: time(-1),
        lines_read: 6,
        waiting: 1,
        complete: false,
        restored: 1,
        queued_entries: 2,
        dead_letters: 1,
        RecoveredEntries: 1,
        WaitingEntries: 3,
      }),
    ]);
    expect(cursorWhileWaiting).toBe(-1);
    expect(done.at(-1)).toMatchObject({ from: time(-1), restored: 1, already_present: 1, RecoveryRuns: 1 });
    expect(await find(ended.complete)).toEqual(ended.complete);
    expect(await find(request.complete)).toEqual(request.placeholder);
  });

  it('keeps the chunks that it completed before time ran out', async () => {
    await fixture.run(at(0));
    const requests = [0, 20, 40].map((minutes) => fixture.logRequest({ receivedMs: at(minutes) }));

    const cutOff = await fixture.run(at(60), { maxPages: 2 });
    const cursorAfterwards = await cursor();
    const done = await fixture.run(at(60));

    // Each chunk has one page. The third request is in the third chunk.
    expect(cutOff.at(-1)).toEqual(
      result({
        level: 'ERROR',
        from: time(-16),
        to: time(14),
        lines_read: 3,
        complete: false,
        restored: 1,
        interrupted: 1,
        RecoveredEntries: 1,
      }),
    );
    expect(cursorAfterwards).toBe(-16 + (2 * maxChunkMs) / minuteMs);
    expect(done.at(-1)).toMatchObject({ from: time(14), to: time(44), restored: 2, RecoveryRuns: 1 });
    expect(await Promise.all(requests.map(({ complete }) => find(complete)))).toEqual(
      requests.map(({ placeholder }) => placeholder),
    );
  });

  it('fails if the log cannot be read, after it has told how far it came', async () => {
    await fixture.run(at(0));
    const lines: unknown[] = [];
    const log = {
      info: () => {},
      error: (event: string, fields: object, metrics?: object) =>
        lines.push({ event, ...fields, ...metrics }),
    };
    const changes = {
      log,
      readLogLines: () => {
        throw new Error('Refused');
      },
    };

    await expect(fixture.run(at(15), { changes })).rejects.toThrow('Refused');
    expect(lines).toEqual([
      {
        event: 'requests_recovered',
        from: time(-16),
        to: time(-16),
        lines_read: 0,
        ...noCounts,
        complete: false,
        queued_entries: 0,
        dead_letters: 0,
      },
    ]);
  });

  it('starts six hours back, and never before the oldest line of the log', async () => {
    const changes = { logRetentionDays: 1 };
    const first = await fixture.run(at(0), { changes });
    const afterThreeDays = await fixture.run(at(3 * 24 * 60), { changes });

    expect(first.at(-1)).toMatchObject({ from: time(-16 - 6 * 60), to: time(-16) });
    expect(afterThreeDays.at(-1)).toMatchObject({ from: time(2 * 24 * 60), to: time(3 * 24 * 60 - 16) });
  });

  it('counts lines that it cannot read', async () => {
    const changes = {
      async *readLogLines() {
        yield ['{"event":"request_completed","entry":{}}'];
      },
    };
    const lines = await fixture.run(at(0), { changes });

    expect(lines.at(-1)).toMatchObject({ lines_read: 24, unreadable: 24, RecoveryRuns: 1 });
  });

  it('does not skip requests after a run with a time in the future', async () => {
    const { target, ...others } = fixture.dependencies;
    const clock = { ...target.logEntries, now: () => new Date(at(0)) };
    await fixture.run(at(60), { changes: { ...others, target: { ...target, logEntries: clock } } });

    expect(await cursor()).toBe(-16);
  });
});
