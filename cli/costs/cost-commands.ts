import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Organization } from '#lambdas/access/directory.ts';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { type Repricing, taskName } from '#lambdas/costs/reprice/new-price.ts';
import {
  type RepricedOrganization,
  repriceOrganizations,
  totalCounts,
} from '#lambdas/costs/reprice/reprice.ts';
import type { RepriceCounts, RepriceTask } from '#lambdas/costs/reprice/reprice-organization.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions, windowBound, windowOf } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { readKnownPrices } from '../prices/known-prices.ts';
import { textTable } from '../text-table.ts';
import { addReconcileCommand } from './reconcile-command.ts';

export function addCostCommands(program: Command): void {
  const group = program.command('costs').description('costs of requests');
  addRepriceCommand(group);
  addReconcileCommand(group);
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
    message: 'requires --from TIME, because it changes costs that reports have already shown',
  });

type RepriceOptions = z.output<typeof repriceOptions>;

function addRepriceCommand(group: Command): void {
  group
    .command('reprice')
    .description(
      'reprice log entries with custom prices, the "providers" setting and the built-in price table',
    )
    .option('--organization <id>', 'only this organization (default: all organizations)')
    .option('--all', 'also reprice entries with a price of the table or the configuration; requires --from')
    .option('--from <time>', 'start of the time window, RFC 3339 (default: the oldest entry)')
    .option('--to <time>', 'end of the time window, exclusive, RFC 3339 (default: now)')
    .option('--dry-run', 'show what would change without changing anything')
    .option('--restart', 'start over instead of continuing an earlier run that was stopped')
    .addHelpText('after', repriceHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, repriceOptions);
      const window = windowOf(options.from ?? allTime.startMs, options.to ?? allTime.endMs);
      const context = await openCommandContext(command);
      const organizations = await selectOrganizations(context.directory, options.organization);
      const repricing: Repricing = {
        entries: options.all ? 'all' : 'uncertain',
        ...(await readKnownPrices(context)),
      };
      const task: RepriceTask = {
        name: taskName({ ...options, repricing }),
        repricing,
        startMs: window.startMs,
        // Entries written from now on are priced by the chat function.
        endMs: Math.min(window.endMs, context.now().getTime()),
        isDryRun: options.dryRun,
        mayResume: !options.restart,
      };
      const repriced: RepricedOrganization[] = [];
      const event = task.isDryRun ? null : repriceEvent(options, task);
      await reprice(context, { organizations, task, event }, repriced);
      context.show({ json: repriceJson(task, repriced), text: repriceText(task, repriced) });
    });
}

const repriceHelp = `
Without --all, only entries with pricing "unknown" or "assumed" are repriced. Each entry gets the price that was valid
when its request arrived. Costs reported by a provider are kept, and no entry loses its price. The rollups, and with
them GET /api/costs, are updated within seconds. Expired entries keep their cost.

At most 200 entries per second are changed in each shard of an organization, so that requests are not slowed down.
${longJobHelp}
Run the same command again to continue after a stop or a crash. Each run reports only its own counts.

Examples:
  npm run admin -- costs reprice --dry-run
  npm run admin -- costs reprice --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- costs reprice --all --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z`;

function repriceEvent({ organization, from }: RepriceOptions, task: RepriceTask): AuditEvent {
  return operationEvent({
    action: 'costs.repriced',
    type: 'costs',
    organizationId: organization ?? null,
    options: {
      entries: task.repricing.entries,
      from: from === undefined ? null : new Date(from).toISOString(),
      to: new Date(task.endMs).toISOString(),
    },
  });
}

interface RepriceRequest {
  organizations: readonly Organization[];
  task: RepriceTask;
  /** `null` for a dry run. */
  event: AuditEvent | null;
}

/** Appends to `repriced` while it runs. */
async function reprice(
  context: CommandContext,
  { organizations, task, event }: RepriceRequest,
  repriced: RepricedOrganization[],
): Promise<void> {
  const { directory, logEntries, costRollups, now } = context;
  const resumeHint = () => {
    const { read, changed, difference } = totalCounts(repriced);
    const counts = `${read} entries read, ${changed} ${task.isDryRun ? 'to change' : 'changed'}, cost difference ${difference} USD`;
    return `${counts}; run the same command again to ${task.isDryRun ? 'start over' : 'continue'}`;
  };
  const work = (job: LongJob) =>
    recordOperation(context, {
      event,
      signal: job.signal,
      work: () =>
        repriceOrganizations({
          dependencies: { directory, logEntries, costRollups, now, pause: (ms) => setTimeout(ms) },
          organizations,
          task,
          job,
          onBegin: (organization) => repriced.push(organization),
        }),
      counts() {
        const { read, changed, difference } = totalCounts(repriced);
        return { read, changed, cost_difference_usd: difference };
      },
    });
  await runLongJob(work, { resumeHint, terminal: context.terminal });
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

function countsJson({ read, changed, stillUnknown, stillAssumed, difference }: RepriceCounts) {
  return {
    read,
    changed,
    kept: read - changed,
    still_unknown: stillUnknown,
    still_assumed: stillAssumed,
    cost_difference_usd: usdJson(difference),
  };
}

function repriceText(task: RepriceTask, repriced: RepricedOrganization[]): string {
  const row = (name: string, { read, changed, stillUnknown, stillAssumed, difference }: RepriceCounts) =>
    [name, read, changed, read - changed, stillUnknown, stillAssumed, difference].map(String);
  const table = textTable(
    ['ORGANIZATION', 'READ', 'CHANGED', 'KEPT', 'STILL UNKNOWN', 'STILL ASSUMED', 'DIFFERENCE IN USD'],
    [
      ...repriced.map(({ organizationId, counts }) => row(organizationId, counts)),
      row('total', totalCounts(repriced)),
    ],
  );
  return task.isDryRun ? `${table}\n\nDry run: nothing was changed.` : table;
}
