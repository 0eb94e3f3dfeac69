import type { Command } from 'commander';
import { z } from 'zod';
import { type RebuiltOrganization, rebuildRollups } from '#lambdas/costs/repair/rebuild.ts';
import { AdminError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { openSession } from '../session.ts';
import { textTable } from '../text-table.ts';

const rebuildOptions = z.object({ organization: organizationId.optional() });

export function addRebuildCommand(group: Command): void {
  group
    .command('rebuild')
    .description('rebuild the rollups from the log entries, while requests and reports go on')
    .option('--organization <id>', 'whose rollups (default: those of all organizations, one after the other)')
    .addHelpText('after', rebuildHelp)
    .action(async (_options: object, command: Command) => {
      const { organization } = readOptions(command, rebuildOptions);
      const session = await openSession(command);
      const organizations = await selectOrganizations(session.directory, organization);
      const selection = {
        organizationIds: organizations.map(({ id }) => id),
        isOfAll: organization === undefined,
      };
      const { directory, logEntries, costRollups, now } = session;
      const rebuilds = await runLongJob(
        (job) => rebuildRollups({ directory, logEntries, costRollups, now, job }, selection),
        { output: session.terminal.errors },
      );
      session.show({ json: rebuilds.map(rebuildJson), text: rebuildText(rebuilds) });
      requireAllRebuilt(rebuilds);
    });
}

const rebuildHelp = `
Reports show the former sums until the new ones are complete. It waits for a minute before it counts, so that everything
that was written before has landed, and for a minute and a half before it deletes the former rows.
Rows of days whose entries have expired, or expire within a day, are kept as they are.
${longJobHelp}
The same command continues where it stopped, also when it was killed.

Examples:
  npm run admin -- rollups rebuild
  npm run admin -- rollups rebuild --organization org_4fTgQ0wZ6uKc1vXb --stack AiGateway`;

const statusTexts: Record<RebuiltOrganization['status'], string> = {
  rebuilt: 'rebuilt',
  'rebuilt before': 'rebuilt before it was stopped',
  'nothing to count': 'kept: no entries to count',
  'being repriced': 'not rebuilt: "costs reprice" is not finished',
  'just repriced': 'not rebuilt: "costs reprice" ended less than 25 hours ago',
};

function rebuildText(rebuilds: RebuiltOrganization[]): string {
  if (rebuilds.length === 0) return 'There are no organizations yet, and so no rollups.';
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
  throw new AdminError(`Not rebuilt, since costs were repriced: ${names}`);
}
