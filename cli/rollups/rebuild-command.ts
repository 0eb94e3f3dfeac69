import type { Command } from 'commander';
import { z } from 'zod';
import { type RebuiltOrganization, rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { requestUpdates } from '#lambdas/limits/budgets/store.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { openCommandContext } from '../command-context.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { textTable } from '../text-table.ts';

const rebuildOptions = z.object({ organization: organizationId.optional() });

export function addRebuildCommand(group: Command): void {
  group
    .command('rebuild')
    .description('rebuild the rollups from the log entries, without interrupting requests and reports')
    .option('--organization <id>', 'only this organization (default: all organizations, one after the other)')
    .addHelpText('after', rebuildHelp)
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, rebuildOptions);
      const context = await openCommandContext(command);
      const organizations = await selectOrganizations(context.directory, organization);
      const selection = {
        organizationIds: organizations.map(({ id }) => id),
        coversAllOrganizations: organization === undefined,
      };
      const { directory, directoryTable, logEntries, costRollups, now } = context;
      let rebuilt = 0;
      const onRebuilt = async (organizationId: string) => {
        rebuilt += 1;
        // The counters of budgets miss entries that were written before the cutover and counted by the rebuild.
        await requestUpdates(directoryTable, organizationId, { recount: true });
      };
      const work = (job: LongJob) =>
        recordOperation(context, {
          event: operationEvent({
            action: 'rollups.rebuilt',
            type: 'rollups',
            organizationId: organization ?? null,
            options: {},
          }),
          signal: job.signal,
          work: () => rebuildRollups({ directory, logEntries, costRollups, now, job, onRebuilt }, selection),
          counts: (results) => ({ organizations: rebuilt, ...(results && { entries: entriesOf(results) }) }),
        });
      const rebuilds = await runLongJob(work, { terminal: context.terminal });
      context.show({ json: rebuilds.map(rebuildJson), text: rebuildText(rebuilds) });
      requireAllRebuilt(rebuilds);
    });
}

const rebuildHelp = `
Reports return the previous sums until the new ones are complete. The command waits one minute for pending writes before
it starts to count, and a minute and a half for running reports before it deletes the previous rows. Rows of days whose
entries have expired, or expire within a day, are kept.
Budgets are then counted again from the new sums, which takes half a minute; meanwhile they stay in effect.
${longJobHelp}
Run the same command again to continue after a stop or a crash.

Examples:
  npm run admin -- rollups rebuild
  npm run admin -- rollups rebuild --organization org_4fTgQ0wZ6uKc1vXb --stack AiGateway`;

function entriesOf(rebuilds: readonly RebuiltOrganization[]): number {
  return rebuilds.reduce((sum, { entries }) => sum + entries, 0);
}

const statusTexts: Record<RebuiltOrganization['status'], string> = {
  rebuilt: 'rebuilt',
  'rebuilt before': 'rebuilt by the run that was stopped',
  'nothing to count': 'unchanged: no entries to count',
  'being repriced': 'not rebuilt: "costs reprice" has not finished',
  'just repriced': 'not rebuilt: "costs reprice" finished less than 25 hours ago',
};

function rebuildText(rebuilds: RebuiltOrganization[]): string {
  if (rebuilds.length === 0) return 'There are no organizations yet.';
  return textTable(
    ['ORGANIZATION', 'RESULT', 'ENTRIES COUNTED', 'COUNTED FROM'],
    rebuilds.map(({ organizationId, status, entries, countsFromMs }) => [
      organizationId,
      statusTexts[status],
      String(entries),
      status === 'rebuilt' ? fromText(countsFromMs) : '-',
    ]),
  );
}

function fromText(countsFromMs: number): string {
  return countsFromMs === 0 ? 'the first entry' : new Date(countsFromMs).toISOString();
}

function rebuildJson({ organizationId, status, entries, countsFromMs }: RebuiltOrganization) {
  return {
    organization_id: organizationId,
    status: status.replaceAll(' ', '_'),
    entries,
    counted_from: countsFromMs === 0 ? null : new Date(countsFromMs).toISOString(),
  };
}

function requireAllRebuilt(rebuilds: RebuiltOrganization[]): void {
  const repriced = rebuilds.filter(({ status }) => status === 'being repriced' || status === 'just repriced');
  if (repriced.length === 0) return;
  const names = repriced.map(({ organizationId }) => organizationId).join(', ');
  throw new AdminError(`Not rebuilt because of an unfinished or recent "costs reprice": ${names}`);
}
