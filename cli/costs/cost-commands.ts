import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Organization } from '#lambdas/access/directory.ts';
import { taskName } from '#lambdas/costs/reprice/new-price.ts';
import {
  type RepricedOrganization,
  repriceOrganizations,
  totalCounts,
} from '#lambdas/costs/reprice/reprice.ts';
import type { RepriceCounts, RepriceTask } from '#lambdas/costs/reprice/reprice-organization.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions, windowBound, windowOf } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { type CommandSession, openSession } from '../session.ts';
import { textTable } from '../text-table.ts';

export function addCostCommands(program: Command): void {
  const group = program.command('costs').description('what requests cost');
  addRepriceCommand(group);
}

const repriceOptions = z
  .object({
    organization: organizationId.optional(),
    all: z.boolean().default(false),
    from: windowBound.optional(),
    to: windowBound.optional(),
    dryRun: z.boolean().default(false),
    restart: z.boolean().default(false),
  })
  .refine(({ all, from }) => !all || from !== undefined, {
    path: ['all'],
    message: 'It changes costs that were reported already: say from when on with --from TIME',
  });

function addRepriceCommand(group: Command): void {
  group
    .command('reprice')
    .description('price log entries again, by the prices of this version and the "providers" setting')
    .option('--organization <id>', 'whose entries (default: those of all organizations)')
    .option('--all', 'also entries that have a price; needs --from')
    .option('--from <time>', 'the start of the window, in RFC 3339 (default: the oldest entry)')
    .option('--to <time>', 'the end of the window, exclusive, in RFC 3339 (default: now)')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--restart', 'begin anew where an earlier run was stopped')
    .addHelpText('after', repriceHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, repriceOptions);
      const window = windowOf(options.from ?? allTime.startMs, options.to ?? allTime.endMs);
      const session = await openSession(command);
      const organizations = await selectOrganizations(session.directory, options.organization);
      // No other command needs the price data, which takes longest to load.
      const { priceTable } = await import('#lambdas/pricing/price-table.ts');
      const repricing = {
        entries: options.all ? ('all' as const) : ('unknown' as const),
        table: priceTable,
        settings: session.providerSettings,
      };
      const task: RepriceTask = {
        name: taskName({ ...options, repricing }),
        repricing,
        startMs: window.startMs,
        // What is written from now on is priced by the chat function.
        endMs: Math.min(window.endMs, session.now().getTime()),
        isDryRun: options.dryRun,
        mayResume: !options.restart,
      };
      const repriced = await reprice(session, organizations, task);
      session.show({ json: repriceJson(task, repriced), text: repriceText(task, repriced) });
    });
}

const repriceHelp = `
Without --all these are the entries with pricing "unknown". Each is priced as of the moment when its request came. What
a provider stated itself stays, and no entry loses a price. The rollups, and so GET /api/costs, follow by the
difference, within seconds. Entries that have expired keep the cost that they had.

At most 200 entries a second are changed in a shard of an organization, so that callers do not notice.
${longJobHelp}
The same command continues where it stopped, also when it was killed; its numbers are of that run alone.

Examples:
  npm run admin -- costs reprice --dry-run
  npm run admin -- costs reprice --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- costs reprice --all --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z`;

async function reprice(
  session: CommandSession,
  organizations: readonly Organization[],
  task: RepriceTask,
): Promise<RepricedOrganization[]> {
  const { directory, logEntries, costRollups, now } = session;
  const repriced: RepricedOrganization[] = [];
  const resumeHint = () => {
    const { read, changed, difference } = totalCounts(repriced);
    const counts = `${read} entries read, ${changed} ${task.isDryRun ? 'to change' : 'changed'}, ${difference} $ of difference`;
    return `${counts}; the same command ${task.isDryRun ? 'starts again' : 'continues from here'}`;
  };
  await runLongJob(
    (job) =>
      repriceOrganizations({
        dependencies: { directory, logEntries, costRollups, now, pause: (ms) => setTimeout(ms) },
        organizations,
        task,
        job,
        onBegin: (organization) => repriced.push(organization),
      }),
    { resumeHint, output: session.terminal.errors },
  );
  return repriced;
}

function repriceJson(task: RepriceTask, repriced: RepricedOrganization[]) {
  return {
    dry_run: task.isDryRun,
    price_table: task.repricing.table.version,
    ...countsJson(totalCounts(repriced)),
    organizations: repriced.map(({ organizationId, endMs, counts }) => ({
      organization_id: organizationId,
      from: new Date(task.startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      ...countsJson(counts),
    })),
  };
}

function countsJson({ read, changed, stillUnknown, difference }: RepriceCounts) {
  return {
    read,
    changed,
    kept: read - changed,
    still_unknown: stillUnknown,
    cost_difference_usd: usdJson(difference),
  };
}

function repriceText(task: RepriceTask, repriced: RepricedOrganization[]): string {
  const row = (name: string, { read, changed, stillUnknown, difference }: RepriceCounts) =>
    [name, read, changed, read - changed, stillUnknown, difference].map(String);
  const table = textTable(
    ['ORGANIZATION', 'READ', 'CHANGED', 'KEPT', 'STILL UNKNOWN', 'DIFFERENCE IN USD'],
    [
      ...repriced.map(({ organizationId, counts }) => row(organizationId, counts)),
      row('total', totalCounts(repriced)),
    ],
  );
  return task.isDryRun ? `${table}\n\nThis is what would change: nothing was written.` : table;
}
