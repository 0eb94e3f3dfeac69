import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { newReplay, type Replay, replayDeadLetters } from '#lambdas/costs/repair/replay.ts';
import { AdminError } from '../admin-error.ts';
import { openSession } from '../command-session.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { textTable } from '../text-table.ts';

export function addReplayCommand(group: Command): void {
  group
    .command('replay')
    .description(
      'count the stream records that the rollup function could not read, from its dead-letter queue',
    )
    .option('--discard', 'delete messages from which nothing can be counted')
    .addHelpText('after', replayHelp)
    .action(async ({ discard = false }: { discard?: boolean }, command: Command) => {
      const session = await openSession(command);
      const queue = await session.openQueue('RollupDeadLetterQueueUrl');
      const replay = newReplay();
      const howToGoOn = () => `${sentence(replay)}; the same command goes on from here`;
      await runLongJob(
        (job) => {
          const pause = () => setTimeout(conflictPauseMs, undefined, { signal: job.signal });
          return replayDeadLetters({ ...session, queue, job, pause }, { replay, discards: discard });
        },
        { howToGoOn, output: session.terminal.errors },
      );
      session.show({ json: replayJson(replay), text: replayText(replay) });
      if (replay.left.length > 0) {
        throw new AdminError(`${replay.left.length} messages are still in the queue`);
      }
    });
}

const conflictPauseMs = 100;

const replayHelp = `
Each record is added once, however often its message is there, and also when this is stopped or killed. Run it when the
version is deployed that can read them, or with one that can. Some hundred records take a minute; where they are many
thousands, "rollups rebuild" is quicker: it counts them with all others, and this then deletes their messages.

Of records that Lambda itself gave up on it says what to rebuild, and deletes the message when that is done.
What stays in the queue is listed, with exit code 1. --discard deletes what will never be counted from here.
${longJobHelp}

Examples:
  npm run admin -- rollups replay
  npm run admin -- rollups replay --stack AiGateway --discard`;

/** More lines help nobody; --json has all. */
const shownMessages = 50;

function sentence({ added, addedBefore, rebuilt, discarded }: Replay): string {
  return [
    `${added} records added`,
    `${addedBefore} added before`,
    `${rebuilt} messages of what a rebuild has counted`,
    `${discarded} discarded`,
  ].join(', ');
}

function replayText(replay: Replay): string {
  const { left } = replay;
  const shown = left.slice(0, shownMessages);
  const rows = shown.map(({ messageId, shardId, sequenceNumber, reason }) => [
    messageId,
    shardId ?? '-',
    sequenceNumber ?? '-',
    reason,
  ]);
  return [
    `${sentence(replay)}, ${left.length} left.`,
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
