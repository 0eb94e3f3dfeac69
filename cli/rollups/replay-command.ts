import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { newReplay, type Replay, replayDeadLetters } from '#lambdas/costs/repair/replay.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions } from '../options.ts';
import { textTable } from '../text-table.ts';

const replayOptions = z.object({ discard: z.boolean().default(false) });

const conflictPauseMs = 100;

export function addReplayCommand(group: Command): void {
  group
    .command('replay')
    .description(
      'add quarantined stream records from the dead-letter queue of the rollup function to the rollups',
    )
    .option('--discard', 'delete messages that can never be counted')
    .addHelpText('after', replayHelp)
    .action(async (_options: object, command: Command) => {
      const { discard } = readOptions(command, replayOptions);
      const context = await openCommandContext(command);
      const { directory, logEntries, costRollups, budgetCounters, now } = context;
      const queue = await context.openQueue('RollupDeadLetterQueueUrl');
      const replay = newReplay();
      const resumeHint = () => `${replaySummary(replay)}; run the same command again to continue`;
      const work = (job: LongJob) =>
        recordOperation(context, {
          event: operationEvent({
            action: 'rollups.replayed',
            type: 'rollups',
            organizationId: null,
            options: { discard },
          }),
          signal: job.signal,
          work() {
            const pause = () => setTimeout(conflictPauseMs, undefined, { signal: job.signal });
            return replayDeadLetters(
              { directory, logEntries, costRollups, budgetCounters, now, queue, job, pause },
              { replay, discards: discard },
            );
          },
          counts: () => ({
            added: replay.added,
            added_before: replay.addedBefore,
            counted_by_rebuild: replay.rebuilt,
            discarded: replay.discarded,
            remaining: replay.remaining.length,
          }),
        });
      await runLongJob(work, { resumeHint, terminal: context.terminal });
      context.show({ json: replayJson(replay), text: replayText(replay) });
      if (replay.remaining.length > 0) {
        throw new AdminError(`${replay.remaining.length} messages remain in the queue`);
      }
    });
}

const replayHelp = `
Each record is added once, even if the queue contains it several times or the command is interrupted. Run it with a
version that can read the records, after that version has been deployed. It adds a few hundred records per minute. For
many thousands, "rollups rebuild" is faster: it counts them with all others, and this command then deletes their
messages.

For batches that Lambda itself discarded, it reports which organizations to rebuild, and deletes the message when that
is done. Messages that remain in the queue are listed, with exit code 1. --discard deletes messages that can never be
counted.
${longJobHelp}

Examples:
  npm run admin -- rollups replay
  npm run admin -- rollups replay --stack AiGateway --discard`;

const maxShownMessages = 50;

function replaySummary({ added, addedBefore, rebuilt, discarded }: Replay): string {
  return [
    `${added} records added`,
    `${addedBefore} already added`,
    `${rebuilt} already counted by a rebuild`,
    `${discarded} discarded`,
  ].join(', ');
}

function replayText(replay: Replay): string {
  const { remaining } = replay;
  const shown = remaining.slice(0, maxShownMessages);
  const rows = shown.map(({ messageId, shardId, sequenceNumber, reason }) => [
    messageId,
    shardId ?? '-',
    sequenceNumber ?? '-',
    reason,
  ]);
  return [
    `${replaySummary(replay)}, ${remaining.length} remaining.`,
    ...(remaining.length === 0 ? [] : [textTable(['MESSAGE', 'SHARD', 'RECORD', 'REASON'], rows)]),
    ...(remaining.length > shown.length
      ? [`… and ${remaining.length - shown.length} more: use --json to see all.`]
      : []),
  ].join('\n\n');
}

function replayJson({ added, addedBefore, rebuilt, discarded, remaining }: Replay) {
  return {
    added,
    added_before: addedBefore,
    counted_by_rebuild: rebuilt,
    discarded,
    left: remaining.map(({ messageId, shardId, sequenceNumber, reason }) => ({
      message_id: messageId,
      shard_id: shardId,
      sequence_number: sequenceNumber,
      reason,
    })),
  };
}
