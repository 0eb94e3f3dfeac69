import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { newReplay, type Replay, replayDeadLetters } from '#lambdas/costs/repair/replay.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions } from '../options.ts';
import { openSession } from '../session.ts';
import { textTable } from '../text-table.ts';

const replayOptions = z.object({ discard: z.boolean().default(false) });

export function addReplayCommand(group: Command): void {
  group
    .command('replay')
    .description(
      'count the stream records that the rollup function could not read, from its dead-letter queue',
    )
    .option('--discard', 'delete messages from which nothing can be counted')
    .addHelpText('after', replayHelp)
    .action(async (_options: object, command: Command) => {
      const { discard } = readOptions(command, replayOptions);
      const session = await openSession(command);
      const { directory, logEntries, costRollups, now } = session;
      const queue = await session.openQueue('RollupDeadLetterQueueUrl');
      const replay = newReplay();
      const resumeHint = () => `${replaySummary(replay)}; the same command continues from here`;
      await runLongJob(
        (job) => {
          const pause = () => setTimeout(conflictPauseMs, undefined, { signal: job.signal });
          return replayDeadLetters(
            { directory, logEntries, costRollups, now, queue, job, pause },
            { replay, discards: discard },
          );
        },
        { resumeHint, output: session.terminal.errors },
      );
      session.show({ json: replayJson(replay), text: replayText(replay) });
      if (replay.left.length > 0) {
        throw new AdminError(`${replay.left.length} messages are still in the queue`);
      }
    });
}

const conflictPauseMs = 100;

const replayHelp = `
Each record is added once, however often its message is there, and also when this is stopped or killed. Run it with a
version that can read the records, once that version is deployed. Some hundred records take a minute; where they are many
thousands, "rollups rebuild" is quicker: it counts them with all others, and this then deletes their messages.

For records that Lambda itself gave up on it says what to rebuild, and deletes the message when that is done.
Messages that stay in the queue are listed, with exit code 1. --discard deletes those that can never be counted.
${longJobHelp}

Examples:
  npm run admin -- rollups replay
  npm run admin -- rollups replay --stack AiGateway --discard`;

/** --json has all. */
const maxShownMessages = 50;

function replaySummary({ added, addedBefore, rebuilt, discarded }: Replay): string {
  return [
    `${added} records added`,
    `${addedBefore} added before`,
    `${rebuilt} messages of records that a rebuild has counted`,
    `${discarded} discarded`,
  ].join(', ');
}

function replayText(replay: Replay): string {
  const { left } = replay;
  const shown = left.slice(0, maxShownMessages);
  const rows = shown.map(({ messageId, shardId, sequenceNumber, reason }) => [
    messageId,
    shardId ?? '-',
    sequenceNumber ?? '-',
    reason,
  ]);
  return [
    `${replaySummary(replay)}, ${left.length} left.`,
    ...(left.length === 0 ? [] : [textTable(['MESSAGE', 'SHARD', 'RECORD', 'WHY IT IS LEFT'], rows)]),
    ...(left.length > shown.length ? [`And ${left.length - shown.length} more: --json has all.`] : []),
  ].join('\n\n');
}

function replayJson({ added, addedBefore, rebuilt, discarded, left }: Replay) {
  return {
    added,
    added_before: addedBefore,
    counted_by_rebuild: rebuilt,
    discarded,
    left: left.map(({ messageId, shardId, sequenceNumber, reason }) => ({
      message_id: messageId,
      shard_id: shardId,
      sequence_number: sequenceNumber,
      reason,
    })),
  };
}
