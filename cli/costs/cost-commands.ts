import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Organization } from '#lambdas/access/directory.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { usageError } from '../admin-error.ts';
import { type CommandSession, openSession } from '../command-session.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { chooseOrganizations } from '../organizations/organizations.ts';
import { parseTime, windowOf } from '../window-options.ts';
import { addCounts, noCounts } from './reprice/reprice-counts.ts';
import type { RepriceTask } from './reprice/reprice-organization.ts';
import { type RepricedOrganization, repriceOrganizations } from './reprice/reprice-organizations.ts';
import { type RepriceResult, repriceJson, repriceSentence, repriceText } from './reprice/reprice-result.ts';
import { taskName } from './reprice/reprice-task.ts';

interface RepriceOptions {
  organization?: string;
  all?: boolean;
  from?: number;
  to?: number;
  dryRun?: boolean;
  restart?: boolean;
}

export function addCostCommands(program: Command): void {
  const group = program.command('costs').description('what requests cost');
  addRepriceCommand(group);
}

function addRepriceCommand(group: Command): void {
  group
    .command('reprice')
    .description('price log entries again, by the prices of this version and the "providers" setting')
    .option('--organization <id>', 'whose entries (default: those of all organizations)')
    .option('--all', 'also entries that have a price; needs --from')
    .option('--from <time>', 'the first moment, in RFC 3339 (default: the oldest entry)', parseTime)
    .option('--to <time>', 'the moment after the last, in RFC 3339 (default: now)', parseTime)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--restart', 'begin anew where an earlier run was stopped')
    .addHelpText('after', repriceHelp)
    .action(async (options: RepriceOptions, command: Command) => {
      if (options.all && options.from === undefined) {
        throw usageError('--all changes costs that were reported already: say from when on with --from TIME');
      }
      const window = windowOf(options.from ?? allTime.startMs, options.to ?? allTime.endMs);
      const session = await openSession(command);
      const organizations = await chooseOrganizations(session.directory, options.organization);
      const result = await reprice(session, organizations, await taskOf(session, options, window));
      session.show({ json: repriceJson(result), text: repriceText(result) });
    });
}

const repriceHelp = `
Without --all these are the entries with pricing "unknown". Each is priced as of the moment when its request came. What
a provider stated itself stays, and no entry loses a price. The rollups, and so GET /api/costs, follow by the
difference, within seconds. Entries that have expired keep the cost that they had.

At most 200 entries a second are changed in a shard of an organization, so that callers do not notice.
${longJobHelp}
The same command goes on where it stopped, also when it was killed; its numbers are of that run alone.

Examples:
  npm run admin -- costs reprice --dry-run
  npm run admin -- costs reprice --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- costs reprice --all --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z`;

async function taskOf(
  session: CommandSession,
  options: RepriceOptions,
  { startMs, endMs }: TimeWindow,
): Promise<RepriceTask> {
  // Half a megabyte that no other command needs.
  const { priceTable } = await import('#lambdas/pricing/price-table.ts');
  const repricing = {
    entries: options.all ? ('all' as const) : ('unknown' as const),
    table: priceTable,
    settings: session.providerSettings,
  };
  return {
    name: taskName({ ...options, repricing }),
    repricing,
    startMs,
    // What is written after now was priced by the chat function just then.
    endMs: Math.min(endMs, session.now().getTime()),
    isDryRun: options.dryRun === true,
    mayResume: options.restart !== true,
  };
}

async function reprice(
  session: CommandSession,
  organizations: readonly Organization[],
  task: RepriceTask,
): Promise<RepriceResult> {
  const repriced: RepricedOrganization[] = [];
  const total = () => repriced.map(({ counts }) => counts).reduce(addCounts, noCounts);
  const howToGoOn = () =>
    `${repriceSentence(total(), task)}; the same command ${task.isDryRun ? 'starts again' : 'goes on from here'}`;
  await runLongJob(
    (job) =>
      repriceOrganizations({
        sources: { ...session, pause: (ms) => setTimeout(ms) },
        organizations,
        task,
        job,
        onBegin: (organization) => repriced.push(organization),
      }),
    { howToGoOn, output: session.terminal.errors },
  );
  return { task, organizations: repriced, total: total() };
}
