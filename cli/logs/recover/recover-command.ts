import type { Command } from 'commander';
import { AdminError, usageError } from '#cli/admin-error.ts';
import { type CommandSession, openSession } from '#cli/command-session.ts';
import { longJobHelp, runLongJob } from '#cli/long-job.ts';
import { parseTime, windowOf } from '#cli/window-options.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { type LogSource, readLogFile } from './log-file.ts';
import { longestRequestMs, recoverLines } from './recover-lines.ts';
import { recoverMessages } from './recover-messages.ts';
import { noRecovery, type RecoveryCounts } from './recovery.ts';
import { recoveryJson, recoverySentence, recoveryText } from './recovery-text.ts';

interface RecoverOptions {
  from?: number;
  to?: number;
  file?: string;
  ended?: boolean;
  queue?: boolean;
  dryRun?: boolean;
}

export function addRecoverCommand(group: Command): void {
  group
    .command('recover')
    .description(
      'put back entries that could not be written, from the lines and the queue that they are left in',
    )
    .option('--from <time>', 'lines of CloudWatch from this moment on, in RFC 3339', parseTime)
    .option('--to <time>', 'the moment after the last line, in RFC 3339', parseTime)
    .option('--file <file>', 'lines of a file instead; "-" is standard input')
    .option(
      '--ended',
      'with --file: what printed these lines has ended, so no request of them still runs',
      false,
    )
    .option('--queue', 'also messages of the dead-letter queue of entries')
    .option('--dry-run', 'show what would be put back, and put nothing back')
    .addHelpText('after', recoverHelp)
    .action(async (options: RecoverOptions, command: Command) => {
      const window = checkedWindow(options);
      const session = await openSession(command);
      const counts = { ...noRecovery };
      const isDryRun = options.dryRun === true;
      await runLongJob((job) => recover({ session, options, window, job, counts }), {
        output: session.terminal.errors,
        howToGoOn: () => `${recoverySentence(counts, isDryRun)}; the same command starts again`,
      });
      session.show({ json: recoveryJson(counts, isDryRun), text: recoveryText(counts, isDryRun) });
      requireComplete(counts);
    });
}

const recoverHelp = `
Entries that neither their table nor their queue took are in lines "log_entry_not_written", each as a whole. Of a request
whose function was killed there is the line "request_forwarded", printed when it was sent to its provider: if no entry
is there 16 minutes after the request came, and none waits in a queue, one with the outcome "interrupted" is made of it.
An entry that is there is never changed, and what was made of a line gives way to the entry itself, so this can be run as
often as one likes, over any window.

Lines are those of the chat function, as CloudWatch has them, "aws logs tail" shows them, or "npm start" prints them and
keeps them in .gateway/logs.
${longJobHelp}

Examples:
  npm run admin -- logs recover --from 2026-01-31T09:00:00Z --to 2026-01-31T10:00:00Z --queue --stack AiGateway
  npm run admin -- logs recover --file .gateway/logs/ChatFunction.log --dry-run`;

function checkedWindow({ from, to, file, ended, queue }: RecoverOptions): TimeWindow | null {
  if (file !== undefined && (from !== undefined || to !== undefined)) {
    throw usageError('--from and --to are of CloudWatch: leave them out with --file');
  }
  if (ended && file === undefined) throw usageError('--ended is of the lines of --file');
  if (from !== undefined && to !== undefined) return windowOf(from, to);
  if (from !== undefined || to !== undefined || (file === undefined && !queue)) {
    throw usageError('Say which lines with --from and --to, or with --file');
  }
  return null;
}

/** `null` when only the queue is to be looked at. */
async function openSource({ session, options, window, job }: Recovering): Promise<LogSource | null> {
  const { file } = options;
  if (file !== undefined) return readLogFile(file, { terminal: session.terminal, signal: job.signal });
  if (window === null) return null;
  const { readCloudWatch } = await import('./cloud-watch-lines.ts');
  // What is printed of a request in the window can come so much later.
  const { startMs, endMs } = window;
  return readCloudWatch(await session.openChatLog(), { startMs, endMs: endMs + longestRequestMs });
}

interface Recovering {
  session: CommandSession;
  options: RecoverOptions;
  window: TimeWindow | null;
  job: LongJob;
  counts: RecoveryCounts;
}

async function recover(recovering: Recovering): Promise<void> {
  const { session, options, window, job, counts } = recovering;
  const source = await openSource(recovering);
  const target = {
    logEntries: session.logEntries,
    retentionDays: session.retentionDays(),
    isDryRun: options.dryRun === true,
  };
  const deadLetters = await session.openQueue('LostEntriesDeadLetterQueueUrl');
  if (options.queue) await recoverMessages({ target, queue: deadLetters, job, counts });
  if (source === null) return;
  const hasWorkedThrough = options.queue === true && !target.isDryRun;
  const lostEntries = await session.openQueue('LostEntriesQueueUrl');
  await recoverLines({
    target,
    source,
    window: window ?? allTime,
    hasEnded: options.ended === true,
    // What is left of the dead letters after they were worked through holds no entry.
    areEntriesQueued: async () =>
      (await lostEntries.size()) > 0 || (!hasWorkedThrough && (await deadLetters.size()) > 0),
    job,
    counts,
  });
}

function requireComplete({ waiting, damaged }: RecoveryCounts): void {
  if (waiting > 0) {
    throw new AdminError(
      `Entries wait in queues: when "LostEntries" is empty, run this again with --queue for the other ${waiting} requests`,
    );
  }
  if (damaged > 0) throw new AdminError(`${damaged} lines or messages could not be read`);
}
