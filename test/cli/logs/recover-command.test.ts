import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type AdminFixture, startAdminFixture } from '#test/support/admin-command.ts';
import { logEntry } from '#test/support/log-entries.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let gateway: AdminFixture;
// Each test needs empty queues.
beforeEach(async () => {
  await gateway?.stop();
  gateway = await startAdminFixture();
});
afterAll(() => gateway?.stop());

const table = () => ({
  client: gateway.database.documentClient,
  tableName: gateway.tables.logEntries,
  now: () => new Date(),
});
const find = ({ organization_id, id }: LogEntry) => createLogEntryReader(table()).find(organization_id, id);

const entryOf = (agoMs: number, fields: Partial<LogEntry> = {}) =>
  logEntry({ id: createLogId(Date.now() - agoMs), session_id: 'secret', ...fields });
const completed = (entry: LogEntry) =>
  `[Chat] ${JSON.stringify({ level: 'INFO', event: 'request_completed', entry: serializeLogEntry(entry) })}`;
const interrupted = (entry: LogEntry): LogEntry => ({
  ...entry,
  outcome: 'interrupted',
  status: 502,
  cost_usd: '0',
  usage_source: 'missing',
});
const forwarded = (entry: LogEntry) =>
  `[Chat] ${JSON.stringify({ level: 'INFO', event: 'request_forwarded', entry: serializeLogEntry(interrupted(entry)) })}`;

async function recover(lines: string[], ...options: string[]) {
  const file = join(gateway.dataDirectory, 'gateway.log');
  await writeFile(file, lines.join('\n'));
  const result = await gateway.run(['logs', 'recover', '--file', file, '--json', ...options]);
  return { ...result, counts: result.stdout === '' ? null : JSON.parse(result.stdout) };
}

const noCounts = {
  dry_run: false,
  lines_read: 0,
  messages_read: 0,
  restored: 0,
  interrupted: 0,
  already_present: 0,
  expired: 0,
  running: 0,
  waiting: 0,
  unreadable: 0,
};

describe('logs recover --file', () => {
  it('restores each missing entry once and changes no existing entry', async () => {
    const [missing, existing] = [entryOf(minuteMs), entryOf(minuteMs)];
    await createSdkLogEntryWriter(table(), 90).put({ ...existing, cost_usd: '9' });
    const lines = [
      ...['START', forwarded(missing), completed(missing)],
      ...[completed(existing), forwarded(existing), completed(existing)],
    ];

    const first = await recover(lines);
    const second = await recover(lines);

    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.counts).toEqual({ ...noCounts, lines_read: 6, restored: 1, already_present: 1 });
    expect(second.counts).toEqual({ ...noCounts, lines_read: 6, already_present: 2 });
    expect([await find(missing), (await find(existing))?.cost_usd]).toEqual([missing, '9']);
    expect(first.stdout + second.stdout).not.toContain('secret');
  });

  it('creates a placeholder for a request without an entry that can no longer be running', async () => {
    const [ended, recent] = [entryOf(17 * minuteMs), entryOf(15 * minuteMs)];
    const lines = [forwarded(ended), forwarded(recent)];

    const first = await recover(lines);
    const second = await recover(lines, '--ended');

    expect(first.counts).toEqual({
      ...noCounts,
      lines_read: 2,
      restored: 1,
      interrupted: 1,
      running: 1,
    });
    expect(second.counts).toEqual({
      ...noCounts,
      lines_read: 2,
      restored: 1,
      interrupted: 1,
      already_present: 1,
    });
    expect([await find(ended), await find(recent)]).toEqual([interrupted(ended), interrupted(recent)]);
  });

  it('prefers the complete entry to a placeholder, wherever it is among thousands of lines', async () => {
    const entries = Array.from({ length: 1200 }, (_, index) => entryOf(17 * minuteMs + index));
    const lines = [...entries.map(forwarded), ...entries.slice(0, 3).map(completed)];

    const { counts } = await recover(lines, '--dry-run');

    expect(counts).toEqual({
      ...noCounts,
      dry_run: true,
      lines_read: 1203,
      restored: 1200,
      interrupted: 1197,
    });
  });

  it.each([
    ['the queue', 'lostEntries', []],
    ['the dead-letter queue', 'lostEntriesDeadLetters', []],
    ['the dead-letter queue of a dry run', 'lostEntriesDeadLetters', ['--queue', '--dry-run']],
  ] as const)('creates no placeholder while %s may contain the entry', async (_, queue, options) => {
    const entry = entryOf(17 * minuteMs);
    await gateway.queues[queue].send({ entry: serializeLogEntry(entry) });
    if (queue === 'lostEntries') await gateway.queues[queue].hide();

    const { exitCode, stderr, counts } = await recover([forwarded(entry)], ...options);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'error: 1 requests were skipped because their entries may be in a queue: run this again with --queue when the LostEntries queue is empty\n',
    });
    expect(counts).toMatchObject({ interrupted: 0, waiting: 1 });
    expect(await find(entry)).toBeNull();
  });

  it('replaces a placeholder with the complete entry from a later line or message', async () => {
    const [inLine, inMessage, replaced] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs), entryOf(0)];
    await recover([forwarded(inLine), forwarded(inMessage), forwarded(replaced)], '--ended');
    await createSdkLogEntryWriter(table(), 90).put(replaced);
    await gateway.queues.lostEntriesDeadLetters.send({ entry: serializeLogEntry(inMessage) });

    const dryRun = await recover([completed(inLine), completed(replaced)], '--queue', '--dry-run');
    const { counts } = await recover([completed(inLine), completed(replaced)], '--queue');

    const expected = { lines_read: 2, messages_read: 1, restored: 2, already_present: 1 };
    expect([dryRun.counts, counts]).toEqual([
      { ...noCounts, ...expected, dry_run: true },
      { ...noCounts, ...expected },
    ]);
    expect([await find(inLine), await find(inMessage)]).toEqual([inLine, inMessage]);
  });

  it('counts expired entries and unreadable lines', async () => {
    const [expired, kept] = [entryOf(90 * dayMs), entryOf(90 * dayMs - minuteMs)];
    const lines = [completed(expired), completed(kept), forwarded(expired), '{"event":"request_completed"}'];

    const { exitCode, stderr, counts } = await recover(lines);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: 1 lines or messages could not be read\n',
    });
    expect(counts).toEqual({ ...noCounts, lines_read: 4, restored: 1, expired: 1, unreadable: 1 });
    expect(await find(kept)).toEqual(kept);
  });

  it('restores nothing in a dry run and reports what it would restore', async () => {
    const [complete, started] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs)];

    const { counts } = await recover([completed(complete), forwarded(started)], '--dry-run');

    expect(counts).toEqual({ ...noCounts, dry_run: true, lines_read: 2, restored: 2, interrupted: 1 });
    expect([await find(complete), await find(started)]).toEqual([null, null]);
  });

  it('reads standard input and prints a summary', async () => {
    const lines = [completed(entryOf(0)), forwarded(entryOf(0)), completed(entryOf(90 * dayMs))];

    const result = await gateway.run(['logs', 'recover', '--file', '-'], lines.join('\n'));

    expect(result).toEqual({
      exitCode: 0,
      stdout:
        '3 lines and 0 messages read: 1 entry restored (0 of interrupted requests), 0 already present.\n1 skipped: expired.\n1 skipped: the request may still be running (add --ended if its process has ended).\n',
      stderr: '',
    });
  });

  it('fails with the path of a file that cannot be read', async () => {
    const file = join(gateway.dataDirectory, 'missing.log');

    const result = await gateway.run(['logs', 'recover', '--file', file]);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: --file: ${file} cannot be read (ENOENT)\n`,
    });
  });

  it.each([
    [[], 'Select log lines with --from and --to or with --file, or pass only --queue'],
    [
      ['--from', '2026-01-01T00:00:00Z'],
      'Select log lines with --from and --to or with --file, or pass only --queue',
    ],
    [
      ['--file', 'a', '--to', '2026-01-01T00:00:00Z'],
      '--from and --to select lines in CloudWatch and cannot be combined with --file',
    ],
    [['--queue', '--ended'], '--ended requires --file'],
    [['--from', '2026-01-02T00:00:00Z', '--to', '2026-01-01T00:00:00Z'], '--from must not be after --to'],
    [
      ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
      'The local gateway does not log to CloudWatch: pass its log file with --file FILE',
    ],
  ])('rejects %j', async (options, message) => {
    const { exitCode, stderr } = await gateway.run(['logs', 'recover', ...options]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('logs recover --queue', () => {
  it('restores entries, deletes their messages and keeps messages without an entry', async () => {
    const [missing, existing] = [entryOf(minuteMs), entryOf(minuteMs)];
    await createSdkLogEntryWriter(table(), 90).put(existing);
    const { lostEntriesDeadLetters: queue } = gateway.queues;
    for (const entry of [missing, existing, missing]) await queue.send({ entry: serializeLogEntry(entry) });
    await queue.send('secret');

    const { exitCode, stdout, stderr } = await gateway.run(['logs', 'recover', '--queue', '--json']);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: 1 lines or messages could not be read\n',
    });
    expect(JSON.parse(stdout)).toEqual({
      ...noCounts,
      messages_read: 4,
      restored: 1,
      already_present: 2,
      unreadable: 1,
    });
    expect([await find(missing), await queue.bodies()]).toEqual([missing, ['secret']]);
  });

  it('drains the queue before it creates placeholders and ignores messages that remain', async () => {
    const [queued, started] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs)];
    await gateway.queues.lostEntriesDeadLetters.send({ entry: serializeLogEntry(queued) });
    await gateway.queues.lostEntriesDeadLetters.send('secret');

    const { counts } = await recover([forwarded(queued), forwarded(started)], '--queue');

    expect(counts).toMatchObject({ restored: 2, interrupted: 1, already_present: 1, waiting: 0 });
    expect([await find(queued), await find(started)]).toEqual([queued, interrupted(started)]);
  });

  it('keeps all messages in a dry run', async () => {
    await gateway.queues.lostEntriesDeadLetters.send({ entry: serializeLogEntry(entryOf(minuteMs)) });

    const { stdout } = await gateway.run(['logs', 'recover', '--queue', '--dry-run', '--json']);

    expect(JSON.parse(stdout)).toEqual({ ...noCounts, dry_run: true, messages_read: 1, restored: 1 });
    expect(await gateway.queues.lostEntriesDeadLetters.visible()).toBe(1);
  });
});
