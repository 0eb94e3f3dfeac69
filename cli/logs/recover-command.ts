import type { Command } from 'commander';
import { z } from 'zod';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { correctEntry } from '#lambdas/costs/reprice/correct-entry.ts';
import { createPriceFinder } from '#lambdas/costs/reprice/find-price.ts';
import { createRestoredEntryWriter } from '#lambdas/costs/restored-entries.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxEntryDelayMs } from '#lambdas/request-log/durations.ts';
import type { LogSource } from '#lambdas/request-log/recover/log-line.ts';
import { recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import { recoverMessages } from '#lambdas/request-log/recover/recover-messages.ts';
import { type RecoveryCounts, zeroCounts } from '#lambdas/request-log/recover/restore-entry.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions, windowBound, windowOf } from '../options.ts';
import { readCloudWatch, readLogFile } from './log-sources.ts';

const recoverOptions = z
  .object({
    from: windowBound.optional(),
    to: windowBound.optional(),
    file: z.string().min(1, 'must not be empty: pass a file name, or "-" for standard input').optional(),
    ended: z.boolean().default(false),
    queue: z.boolean().default(false),
    dryRun: z.boolean().default(false),
  })
  .refine(
    ({ file, from, to }) => file === undefined || (from === undefined && to === undefined),
    '--from and --to select lines in CloudWatch and cannot be combined with --file',
  )
  .refine(({ ended, file }) => !ended || file !== undefined, '--ended requires --file')
  .refine(
    ({ from, to, file, queue }) =>
      (from === undefined) === (to === undefined) && (from !== undefined || file !== undefined || queue),
    'Select log lines with --from and --to or with --file, or pass only --queue',
  );

type RecoverOptions = z.output<typeof recoverOptions>;

export function addRecoverCommand(group: Command): void {
  group
    .command('recover')
    .description('restore log entries that could not be written, from log lines and the dead-letter queue')
    .option('--from <time>', 'start of the time window of log lines in CloudWatch, RFC 3339')
    .option('--to <time>', 'end of the time window, exclusive, RFC 3339')
    .option('--file <file>', 'read this log file instead of CloudWatch; "-" for standard input')
    .option(
      '--ended',
      'with --file: the process that wrote these lines has ended, so none of its requests is running',
    )
    .option('--queue', 'also process the dead-letter queue of log entries')
    .option('--dry-run', 'show what would be restored without changing anything')
    .addHelpText('after', recoverHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, recoverOptions);
      const { from, to, dryRun } = options;
      const window = from === undefined || to === undefined ? null : windowOf(from, to);
      const context = await openCommandContext(command);
      const counts = { ...zeroCounts };
      const work = (job: LongJob) =>
        recordOperation(context, {
          event: dryRun ? null : recoveryEvent(options, window),
          signal: job.signal,
          work: () => recover(context, options, window, job, counts),
          counts: () => ({
            restored: counts.restored,
            interrupted: counts.interrupted,
            already_present: counts.alreadyPresent,
            unreadable: counts.unreadable,
          }),
        });
      await runLongJob(work, {
        terminal: context.terminal,
        resumeHint: () => `${recoverySummary(counts, dryRun)}; run the same command again to start over`,
      });
      context.show({ json: recoveryJson(counts, dryRun), text: recoveryText(counts, dryRun) });
      requireComplete(counts);
    });
}

const recoverHelp = `
The window selects requests by when they were received. The line "request_completed" of a request has its whole entry. If
the function was killed before it printed that line, the log contains only the line "request_forwarded", from which a
placeholder with the outcome "interrupted" is created if there is still no entry 16 minutes after the request was received
and none is waiting in a queue.
Existing entries are never changed, except that a placeholder is replaced by the actual entry. The command can therefore
be run repeatedly, for any time window.

Log lines are accepted as stored by CloudWatch, as printed by "aws logs tail", and as written by "npm start" to
.gateway/logs.
${longJobHelp}

Examples:
  npm run admin -- logs recover --from 2026-01-31T09:00:00Z --to 2026-01-31T10:00:00Z --queue --stack AiGateway
  npm run admin -- logs recover --file .gateway/logs/ChatFunction.log --dry-run`;

function recoveryEvent({ queue }: RecoverOptions, window: TimeWindow | null): AuditEvent {
  return operationEvent({
    action: 'log_entries.recovered',
    type: 'log_entries',
    organizationId: null,
    options: {
      from: window && new Date(window.startMs).toISOString(),
      to: window && new Date(window.endMs).toISOString(),
      queue,
    },
  });
}

async function recover(
  context: CommandContext,
  options: RecoverOptions,
  window: TimeWindow | null,
  job: LongJob,
  counts: RecoveryCounts,
): Promise<void> {
  const source = await openSource(context, options, window, job);
  const { prices, providerSettings: settings, logEntries, costRollups } = context;
  const customPrices = { ...prices, calls: createSdkTableCalls(prices.client) };
  const findPrice = createPriceFinder({ customPrices, settings });
  const retentionDays = context.retentionDays();
  const target = {
    logEntries,
    writer: createRestoredEntryWriter({ logEntries, costRollups }, retentionDays),
    findPrice,
    retentionDays,
    isDryRun: options.dryRun,
  };
  const deadLetters = await context.openQueue('LostEntriesDeadLetterQueueUrl');
  if (options.queue) {
    const correction = { findPrice, logEntries, costRollups, now: logEntries.now };
    await recoverMessages({
      target,
      queue: deadLetters,
      job,
      counts,
      correctEntry: (entry) => correctEntry(correction, entry),
    });
  }
  if (source === null) return;
  const hasDrained = options.queue && !target.isDryRun;
  const lostEntries = await context.openQueue('LostEntriesQueueUrl');
  await recoverLines({
    target,
    source,
    window: window ?? allTime,
    processHasExited: options.ended,
    // Dead letters that remain after the queue was drained contain no readable entry.
    hasQueuedEntries: async () =>
      (await lostEntries.size()) > 0 || (!hasDrained && (await deadLetters.size()) > 0),
    job,
    counts,
  });
}

async function openSource(
  context: CommandContext,
  { file }: RecoverOptions,
  window: TimeWindow | null,
  { signal }: LongJob,
): Promise<LogSource | null> {
  if (file !== undefined) return readLogFile(file, { terminal: context.terminal, signal });
  if (window === null) return null;
  // The last log line of a request in the window can be written this much later.
  const { startMs, endMs } = window;
  return readCloudWatch(await context.openChatLog(), { startMs, endMs: endMs + maxEntryDelayMs });
}

function requireComplete({ waiting, unreadable }: RecoveryCounts): void {
  if (waiting > 0) {
    throw new AdminError(
      `${waiting} requests were skipped because their entries may be in a queue: run this again with --queue when the LostEntries queue is empty`,
    );
  }
  if (unreadable > 0) throw new AdminError(`${unreadable} lines or messages could not be read`);
}

function recoverySummary(
  { restored, interrupted, alreadyPresent }: RecoveryCounts,
  isDryRun: boolean,
): string {
  const verb = isDryRun ? 'would be restored' : 'restored';
  return `${restored} ${restored === 1 ? 'entry' : 'entries'} ${verb} (${interrupted} of interrupted requests), ${alreadyPresent} already present`;
}

/** Renders counts only, since entries are confidential. */
function recoveryText(counts: RecoveryCounts, isDryRun: boolean): string {
  const { lines, messages, expired, running, waiting, unreadable } = counts;
  const otherCounts: [number, string][] = [
    [expired, 'skipped: expired'],
    [running, 'skipped: the request may still be running (add --ended if its process has ended)'],
    [waiting, 'skipped: the entry may be in a queue'],
    [unreadable, 'could not be read'],
  ];
  return [
    `${lines} lines and ${messages} messages read: ${recoverySummary(counts, isDryRun)}.`,
    ...otherCounts.flatMap(([count, result]) => (count === 0 ? [] : [`${count} ${result}.`])),
  ].join('\n');
}

function recoveryJson(counts: RecoveryCounts, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    lines_read: counts.lines,
    messages_read: counts.messages,
    restored: counts.restored,
    interrupted: counts.interrupted,
    already_present: counts.alreadyPresent,
    expired: counts.expired,
    running: counts.running,
    waiting: counts.waiting,
    unreadable: counts.unreadable,
  };
}
