import type { Command } from 'commander';
import { z } from 'zod';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogSource } from '#lambdas/request-log/recover/log-line.ts';
import { noRecovery, type RecoveryCounts, recoverMessages } from '#lambdas/request-log/recover/put-back.ts';
import { maxEntryDelayMs, recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions, windowBound, windowOf } from '../options.ts';
import { type CommandSession, openSession } from '../session.ts';
import { readCloudWatch, readLogFile } from './log-sources.ts';

const recoverOptions = z
  .object({
    from: windowBound.optional(),
    to: windowBound.optional(),
    file: z.string().min(1, 'It is empty: name a file, or "-" for standard input').optional(),
    ended: z.boolean().default(false),
    queue: z.boolean().default(false),
    dryRun: z.boolean().default(false),
  })
  .refine(
    ({ file, from, to }) => file === undefined || (from === undefined && to === undefined),
    '--from and --to are of CloudWatch: leave them out with --file',
  )
  .refine(({ ended, file }) => !ended || file !== undefined, '--ended is of the lines of --file')
  .refine(
    ({ from, to, file, queue }) =>
      (from === undefined) === (to === undefined) && (from !== undefined || file !== undefined || queue),
    'Say which lines with --from and --to, or with --file',
  );

type RecoverOptions = z.output<typeof recoverOptions>;

export function addRecoverCommand(group: Command): void {
  group
    .command('recover')
    .description('put back entries that could not be written, from log lines and the dead-letter queue')
    .option('--from <time>', 'lines of CloudWatch from this moment on, in RFC 3339')
    .option('--to <time>', 'the end of the window, exclusive, in RFC 3339')
    .option('--file <file>', 'lines of a file instead; "-" is standard input')
    .option(
      '--ended',
      'with --file: the process that printed these lines has ended, and its requests with it',
    )
    .option('--queue', 'also messages of the dead-letter queue of entries')
    .option('--dry-run', 'show what would be put back, and put nothing back')
    .addHelpText('after', recoverHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, recoverOptions);
      const { from, to, dryRun } = options;
      const window = from === undefined || to === undefined ? null : windowOf(from, to);
      const session = await openSession(command);
      const counts = { ...noRecovery };
      await runLongJob((job) => recover(session, options, window, job, counts), {
        output: session.terminal.errors,
        resumeHint: () => `${recoverySummary(counts, dryRun)}; the same command starts again`,
      });
      session.show({ json: recoveryJson(counts, dryRun), text: recoveryText(counts, dryRun) });
      requireComplete(counts);
    });
}

const recoverHelp = `
Entries that neither their table nor their queue took are in lines "log_entry_not_written", each as a whole. Of a request
whose function was killed there is the line "request_forwarded", printed when it was sent to its provider: if no entry
is there 16 minutes after the request came, and none waits in a queue, one with the outcome "interrupted" is made of it.
An existing entry is never changed, and a placeholder that was made of a line is replaced by the entry itself, so this
can be run as often as you like, over any window.

Lines are those of the chat function, as CloudWatch has them, "aws logs tail" shows them, or "npm start" prints them and
keeps them in .gateway/logs.
${longJobHelp}

Examples:
  npm run admin -- logs recover --from 2026-01-31T09:00:00Z --to 2026-01-31T10:00:00Z --queue --stack AiGateway
  npm run admin -- logs recover --file .gateway/logs/ChatFunction.log --dry-run`;

/** Without a window or a file, only the queue is read. */
async function recover(
  session: CommandSession,
  options: RecoverOptions,
  window: TimeWindow | null,
  job: LongJob,
  counts: RecoveryCounts,
): Promise<void> {
  const source = await openSource(session, options, window, job);
  const target = {
    logEntries: session.logEntries,
    retentionDays: session.retentionDays(),
    isDryRun: options.dryRun,
  };
  const deadLetters = await session.openQueue('LostEntriesDeadLetterQueueUrl');
  if (options.queue) await recoverMessages({ target, queue: deadLetters, job, counts });
  if (source === null) return;
  const hasDrained = options.queue && !target.isDryRun;
  const lostEntries = await session.openQueue('LostEntriesQueueUrl');
  await recoverLines({
    target,
    source,
    window: window ?? allTime,
    hasEnded: options.ended,
    // Dead letters that are left after the queue was drained hold no entry.
    areEntriesQueued: async () =>
      (await lostEntries.size()) > 0 || (!hasDrained && (await deadLetters.size()) > 0),
    job,
    counts,
  });
}

async function openSource(
  session: CommandSession,
  { file }: RecoverOptions,
  window: TimeWindow | null,
  { signal }: LongJob,
): Promise<LogSource | null> {
  if (file !== undefined) return readLogFile(file, { terminal: session.terminal, signal });
  if (window === null) return null;
  // The last line of a request in the window can come this much later.
  const { startMs, endMs } = window;
  return readCloudWatch(await session.openChatLog(), { startMs, endMs: endMs + maxEntryDelayMs });
}

function requireComplete({ waiting, damaged }: RecoveryCounts): void {
  if (waiting > 0) {
    throw new AdminError(
      `Entries wait in queues: when "LostEntries" is empty, run this again with --queue for the other ${waiting} requests`,
    );
  }
  if (damaged > 0) throw new AdminError(`${damaged} lines or messages could not be read`);
}

function recoverySummary({ putBack, interrupted, alreadyThere }: RecoveryCounts, isDryRun: boolean): string {
  const verb = isDryRun ? 'would be put back' : 'put back';
  return `${putBack} entries ${verb} (${interrupted} of interrupted requests), ${alreadyThere} already there`;
}

/** Counts, and nothing of any entry. */
function recoveryText(counts: RecoveryCounts, isDryRun: boolean): string {
  const { lines, messages, expired, running, waiting, damaged } = counts;
  const rest: [number, string][] = [
    [expired, 'skipped: they have expired'],
    [running, 'skipped: their requests may still run'],
    [waiting, 'skipped: their entries may be among those that wait in a queue'],
    [damaged, 'could not be read'],
  ];
  return [
    `${lines} lines and ${messages} messages read: ${recoverySummary(counts, isDryRun)}.`,
    ...rest.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}.`])),
  ].join('\n');
}

function recoveryJson(counts: RecoveryCounts, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    lines_read: counts.lines,
    messages_read: counts.messages,
    put_back: counts.putBack,
    interrupted: counts.interrupted,
    already_there: counts.alreadyThere,
    skipped_expired: counts.expired,
    skipped_running: counts.running,
    skipped_waiting: counts.waiting,
    unreadable: counts.damaged,
  };
}
