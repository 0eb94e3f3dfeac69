import type { Command } from 'commander';
import { type PendingChange, restartPendingChanges } from '#lambdas/limits/budgets/pending-changes.ts';
import { deleteAfter } from '#lambdas/platform/aws/message-queue.ts';
import { daySeconds, hourSeconds } from '#lambdas/platform/duration.ts';
import { openCommandContext } from '../command-context.ts';
import { scopeJson } from '../keys/scope.ts';
import { textTable } from '../text-table.ts';

export function addRetryCommand(group: Command): void {
  group
    .command('retry')
    .description('start all changes of budgets again that are not in effect, also those that were given up')
    .addHelpText('after', retryHelp)
    .action(async (_options: object, command: Command) => {
      const context = await openCommandContext(command);
      const queue = await context.openQueue('BudgetChangesDeadLetterQueueUrl');
      let changes: PendingChange[] = [];
      const notifications = await deleteAfter(queue, async () => {
        changes = await restartPendingChanges(context.directoryTable);
      });
      const nowMs = context.now().getTime();
      context.show({
        json: {
          restarted: changes.map((change) => changeJson(change, nowMs)),
          deleted_notifications: notifications,
        },
        text: [changesText(changes, nowMs), notificationsText(notifications)].join('\n\n'),
      });
    });
}

const retryHelp = `
A change that has failed six times is given up: Lambda sends a notification to the queue of the stack output
BudgetChangesDeadLetterQueueUrl, which raises the alarm "budget-changes-failed". This command starts the function again for
every pending change, and then deletes the notifications that were in the queue before. A change that fails again is in
the queue again, so the command can be repeated. It returns at once: "budget list" shows which budgets are in effect.

Examples:
  npm run admin -- budget retry --stack AiGateway
  npm run --silent admin -- budget retry --json`;

function changesText(changes: readonly PendingChange[], nowMs: number): string {
  if (changes.length === 0) return 'All budgets are in effect: there is nothing to start again.';
  const rows = changes.map((change) => [
    change.scope.organizationId,
    change.scope.keyId ?? '-',
    change.since,
    ageText(ageSeconds(change, nowMs)),
  ]);
  return [
    textTable(['ORGANIZATION', 'KEY', 'PENDING SINCE', 'FOR'], rows),
    'The changes were started again. "budget list" shows which are in effect, usually after half a minute.',
  ].join('\n\n');
}

function notificationsText(notifications: number): string {
  const suffix = notifications === 1 ? '' : 's';
  return `${notifications} notification${suffix} of failed changes deleted; one that fails again is in the queue again.`;
}

function changeJson(change: PendingChange, nowMs: number) {
  return {
    ...scopeJson(change.scope),
    pending_since: change.since,
    pending_seconds: ageSeconds(change, nowMs),
  };
}

function ageSeconds({ since }: PendingChange, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000));
}

function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.floor(seconds / hourSeconds)} h`
    : `${Math.floor(seconds / daySeconds)} days`;
}
