import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createLogEntryReader } from '#lambdas/request-log/report/read.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type AdministeredGateway, startAdministeredGateway } from '#test/support/admin-command.ts';
import { logEntry } from '#test/support/log-entries.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

let gateway: AdministeredGateway;
// Each with queues of its own.
beforeEach(async () => {
  await gateway?.stop();
  gateway = await startAdministeredGateway();
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
const lost = (entry: LogEntry) =>
  `[Chat] ${JSON.stringify({ level: 'ERROR', event: 'log_entry_not_written', entry: entryText(entry) })}`;
const interrupted = (entry: LogEntry): LogEntry => ({
  ...entry,
  outcome: 'interrupted',
  status: 502,
  cost_usd: '0',
  usage_source: 'missing',
});
const forwarded = (entry: LogEntry) =>
  `[Chat] ${JSON.stringify({ level: 'INFO', event: 'request_forwarded', entry: entryText(interrupted(entry)) })}`;

/** Of lines in a file. */
async function recover(lines: string[], ...options: string[]) {
  const file = join(gateway.dataDirectory, 'gateway.log');
  await writeFile(file, lines.join('\n'));
  const result = await gateway.run(['logs', 'recover', '--file', file, '--json', ...options]);
  return { ...result, counts: result.stdout === '' ? null : JSON.parse(result.stdout) };
}

const nothing = {
  dry_run: false,
  lines_read: 0,
  messages_read: 0,
  put_back: 0,
  interrupted: 0,
  already_there: 0,
  skipped_expired: 0,
  skipped_running: 0,
  skipped_waiting: 0,
  unreadable: 0,
};

describe('logs recover, of lines in a file', () => {
  it('puts back each entry as it was, once, and changes none that is there', async () => {
    const [missing, there] = [entryOf(minuteMs), entryOf(minuteMs)];
    await createSdkLogEntryWriter(table(), 90).put({ ...there, cost_usd: '9' });
    const lines = ['START', forwarded(missing), lost(missing), lost(there), forwarded(there), lost(there)];

    const first = await recover(lines);
    const second = await recover(lines);

    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.counts).toEqual({ ...nothing, lines_read: 6, put_back: 1, already_there: 1 });
    expect(second.counts).toEqual({ ...nothing, lines_read: 6, already_there: 2 });
    expect([await find(missing), (await find(there))?.cost_usd]).toEqual([missing, '9']);
    expect(first.stdout + second.stdout).not.toContain('secret');
  });

  it('makes an entry of a request whose function ended before it wrote one, when nothing can run any more', async () => {
    const [old, young] = [entryOf(17 * minuteMs), entryOf(15 * minuteMs)];
    const lines = [forwarded(old), forwarded(young)];

    const first = await recover(lines);
    const second = await recover(lines, '--ended');

    expect(first.counts).toEqual({
      ...nothing,
      lines_read: 2,
      put_back: 1,
      interrupted: 1,
      skipped_running: 1,
    });
    expect(second.counts).toEqual({
      ...nothing,
      lines_read: 2,
      put_back: 1,
      interrupted: 1,
      already_there: 1,
    });
    expect([await find(old), await find(young)]).toEqual([interrupted(old), interrupted(young)]);
  });

  it('prefers the whole entry, wherever it stands among thousands of others', async () => {
    const entries = Array.from({ length: 1200 }, (_, index) => entryOf(17 * minuteMs + index));
    const lines = [...entries.map(forwarded), ...entries.slice(0, 3).map(lost)];

    const { counts } = await recover(lines, '--dry-run');

    expect(counts).toEqual({
      ...nothing,
      dry_run: true,
      lines_read: 1203,
      put_back: 1200,
      interrupted: 1197,
    });
  });

  it.each([
    ['the queue', 'lostEntries', []],
    ['the dead-letter queue', 'lostEntriesDeadLetters', []],
    ['the dead-letter queue, in a dry run', 'lostEntriesDeadLetters', ['--queue', '--dry-run']],
  ] as const)('makes no entry while %s may have a better one', async (_, queue, options) => {
    const entry = entryOf(17 * minuteMs);
    await gateway.queues[queue].send({ entry: entryText(entry) });
    if (queue === 'lostEntries') await gateway.queues[queue].hide();

    const { exitCode, stderr, counts } = await recover([forwarded(entry)], ...options);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'error: Entries wait in queues: when "LostEntries" is empty, run this again with --queue for the other 1 requests\n',
    });
    expect(counts).toMatchObject({ interrupted: 0, skipped_waiting: 1 });
    expect(await find(entry)).toBeNull();
  });

  it('puts a whole entry in the place of what stood in for it, whichever line or message was read first', async () => {
    const [inLine, inMessage, replaced] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs), entryOf(0)];
    await recover([forwarded(inLine), forwarded(inMessage), forwarded(replaced)], '--ended');
    await createSdkLogEntryWriter(table(), 90).put(replaced);
    await gateway.queues.lostEntriesDeadLetters.send({ entry: entryText(inMessage) });

    const dry = await recover([lost(inLine), lost(replaced)], '--queue', '--dry-run');
    const { counts } = await recover([lost(inLine), lost(replaced)], '--queue');

    const expected = { lines_read: 2, messages_read: 1, put_back: 2, already_there: 1 };
    expect([dry.counts, counts]).toEqual([
      { ...nothing, ...expected, dry_run: true },
      { ...nothing, ...expected },
    ]);
    expect([await find(inLine), await find(inMessage)]).toEqual([inLine, inMessage]);
  });

  it('counts what has expired, and what it cannot read', async () => {
    const [expired, kept] = [entryOf(90 * dayMs), entryOf(90 * dayMs - minuteMs)];
    const lines = [lost(expired), lost(kept), forwarded(expired), '{"event":"log_entry_not_written"}'];

    const { exitCode, stderr, counts } = await recover(lines);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: 1 lines or messages could not be read\n',
    });
    expect(counts).toEqual({ ...nothing, lines_read: 4, put_back: 1, skipped_expired: 1, unreadable: 1 });
    expect(await find(kept)).toEqual(kept);
  });

  it('puts nothing back in a dry run, and says what it would', async () => {
    const [whole, begun] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs)];

    const { counts } = await recover([lost(whole), forwarded(begun)], '--dry-run');

    expect(counts).toEqual({ ...nothing, dry_run: true, lines_read: 2, put_back: 2, interrupted: 1 });
    expect([await find(whole), await find(begun)]).toEqual([null, null]);
  });

  it('reads standard input, and says in words what it did', async () => {
    const lines = [lost(entryOf(0)), forwarded(entryOf(0)), lost(entryOf(90 * dayMs))];

    const result = await gateway.run(['logs', 'recover', '--file', '-'], lines.join('\n'));

    expect(result).toEqual({
      exitCode: 0,
      stdout:
        '3 lines and 0 messages read: 1 entries put back (0 of interrupted requests), 0 already there.\n1 skipped: they have expired.\n1 skipped: their requests may still run.\n',
      stderr: '',
    });
  });

  it('says which file cannot be read', async () => {
    const file = join(gateway.dataDirectory, 'missing.log');

    const result = await gateway.run(['logs', 'recover', '--file', file]);

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: --file: ${file} cannot be read (ENOENT)\n`,
    });
  });

  it.each([
    [[], 'Say which lines with --from and --to, or with --file'],
    [['--from', '2026-01-01T00:00:00Z'], 'Say which lines with --from and --to, or with --file'],
    [['--file', 'a', '--to', '2026-01-01T00:00:00Z'], '--from and --to are of CloudWatch'],
    [['--queue', '--ended'], '--ended is of the lines of --file'],
    [['--from', '2026-01-02T00:00:00Z', '--to', '2026-01-01T00:00:00Z'], '--from must not be after --to'],
    [
      ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
      'The local gateway keeps no log lines: give them with --file FILE',
    ],
  ])('refuses %j', async (options, message) => {
    const { exitCode, stderr } = await gateway.run(['logs', 'recover', ...options]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('logs recover, of the dead-letter queue', () => {
  it('puts back its entries, deletes their messages, and leaves what is no entry', async () => {
    const [missing, there] = [entryOf(minuteMs), entryOf(minuteMs)];
    await createSdkLogEntryWriter(table(), 90).put(there);
    const { lostEntriesDeadLetters: queue } = gateway.queues;
    for (const entry of [missing, there, missing]) await queue.send({ entry: entryText(entry) });
    await queue.send('secret');

    const { exitCode, stdout, stderr } = await gateway.run(['logs', 'recover', '--queue', '--json']);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: 1 lines or messages could not be read\n',
    });
    expect(JSON.parse(stdout)).toEqual({
      ...nothing,
      messages_read: 4,
      put_back: 1,
      already_there: 2,
      unreadable: 1,
    });
    expect([await find(missing), await queue.bodies()]).toEqual([missing, ['secret']]);
  });

  it('is worked through before requests are taken for interrupted, and what it left is no reason to wait', async () => {
    const [queued, begun] = [entryOf(17 * minuteMs), entryOf(17 * minuteMs)];
    await gateway.queues.lostEntriesDeadLetters.send({ entry: entryText(queued) });
    await gateway.queues.lostEntriesDeadLetters.send('secret');

    const { counts } = await recover([forwarded(queued), forwarded(begun)], '--queue');

    expect(counts).toMatchObject({ put_back: 2, interrupted: 1, already_there: 1, skipped_waiting: 0 });
    expect([await find(queued), await find(begun)]).toEqual([queued, interrupted(begun)]);
  });

  it('keeps its messages in a dry run', async () => {
    await gateway.queues.lostEntriesDeadLetters.send({ entry: entryText(entryOf(minuteMs)) });

    const { stdout } = await gateway.run(['logs', 'recover', '--queue', '--dry-run', '--json']);

    expect(JSON.parse(stdout)).toEqual({ ...nothing, dry_run: true, messages_read: 1, put_back: 1 });
    expect(await gateway.queues.lostEntriesDeadLetters.visible()).toBe(1);
  });
});
