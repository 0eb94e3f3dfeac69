import type { Command } from 'commander';
import { type Reconciliation, reconcile } from '#lambdas/costs/reconcile/compare.ts';
import { readGatewayCosts } from '#lambdas/costs/reconcile/gateway-costs.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { AdminError, usageError } from '../errors.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { readOptions } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { readKnownPrices } from '../prices/known-prices.ts';
import { type ReconcileOptions, reconcileOptions, scopeOf } from './reconcile/options.ts';
import type { ReportPage } from './reconcile/report-format.ts';
import { costReportOf } from './reconcile/report-items.ts';
import {
  fetchReportPages,
  type ReportQuery,
  readAdminKey,
  readReportFile,
} from './reconcile/report-pages.ts';
import { reportFormats, reportProviders } from './reconcile/report-providers.ts';
import { reconciliationJson, reconciliationText, verdict } from './reconcile/result.ts';

/** How long providers usually add costs to a day. */
const settlingMs = 2 * dayMs;

export function addReconcileCommand(group: Command): void {
  group
    .command('reconcile')
    .description("compare costs with the provider's cost report; exit code 1 if the totals differ")
    .requiredOption('--provider <name>', reportProviders.join(' or '))
    .requiredOption('--start <day>', 'first UTC day, such as 2026-01-01')
    .requiredOption('--end <day>', 'first UTC day that is not compared; at the latest today')
    .option('--project <id>', "only costs of this project of OpenAI's (default: all projects)")
    .option('--workspace <id>', 'only costs of this workspace of Anthropic\'s, or "default" (default: all)')
    .option('--file <file>', 'a saved response of the report, or a JSON array of responses')
    .option('--base-url <url>', "the address of the provider's API")
    .option('--tolerance <percent>', "the difference to accept, in percent of the provider's costs", '1')
    .addHelpText('after', reconcileHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, reconcileOptions);
      const context = await openCommandContext(command);
      const reconciliation = await runReconcile(context, options);
      context.show({
        json: reconciliationJson(options, reconciliation),
        text: reconciliationText(options, reconciliation),
      });
      if (!reconciliation.isWithinTolerance) throw new AdminError(verdict(options, reconciliation));
    });
}

const reconcileHelp = `
The costs of the log entries of all organizations are compared with the provider's own report, by UTC day and by the
model that served each part of a request. Costs of no model, such as web searches, are one row per day. The report
requires an admin key of the provider: set OPENAI_ADMIN_KEY or ANTHROPIC_ADMIN_KEY in the environment, or pass a report
that you saved, grouped by line_item (OpenAI) or description (Anthropic), with --file.

A row differs if its costs differ by more than --tolerance percent of the larger one. The exit code is 1 if the totals
differ by more than --tolerance percent of the provider's total. Columns count requests whose cost is uncertain, with
their cost: with an assumed price, without a known price, interrupted before the usage was known, and with charges that
the response does not state. A request counts in the row of its first model.

The costs can also differ because of
- other traffic of the account: select the gateway's --project or --workspace
- Anthropic's Priority Tier, which is not in its report
- tokens that OpenAI does not charge for, such as those for shared data
- requests across midnight: the gateway counts them on the day on which they began
- credits, discounts, and fees for anything but requests
- costs of recent days that the provider has not reported yet
${longJobHelp}
Run the same command again to start over.

Examples:
  npm run admin -- costs reconcile --provider openai --start 2026-01-01 --end 2026-02-01 --project proj_abc
  npm run admin -- costs reconcile --provider anthropic --start 2026-01-01 --end 2026-02-01 --workspace default
  npm run admin -- costs reconcile --provider openai --start 2026-01-01 --end 2026-01-08 --file costs.json`;

async function runReconcile(context: CommandContext, options: ReconcileOptions): Promise<Reconciliation> {
  const organizations = await selectOrganizations(context.directory, undefined);
  requirePossiblePeriod(context, options);
  const format = reportFormats[options.provider];
  const period = { startMs: options.start, endMs: options.end };
  const query: ReportQuery = { format, period, scope: scopeOf(options, format) };
  const readPages = pageReader(context, options, query);
  const work = async (job: LongJob) => {
    if (options.end > context.now().getTime() - settlingMs) {
      job.note(`${options.provider} may still add costs of the last two days: compare them again later`);
    }
    const report = costReportOf(await readPages(job), query);
    const [missingDay, ...others] = report.missingDays;
    if (missingDay !== undefined) {
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      job.note(`days missing from the cost report: ${missingDay}${more}`);
    }
    const gatewayCosts = await readGatewayCosts({
      logEntries: context.logEntries,
      shards: organizations.flatMap(({ id, log_shards }) => shardsOf(id, log_shards)),
      period,
      provider: options.provider,
      prices: await readKnownPrices(context),
      job,
    });
    return reconcile(gatewayCosts, report.items, options.tolerance);
  };
  const resumeHint = () => 'run the same command again to start over';
  return runLongJob(work, { resumeHint, terminal: context.terminal });
}

/** Throws when there is neither a key nor a file, before any entry is read. */
function pageReader(
  { terminal: { environment } }: CommandContext,
  { file, baseUrl }: ReconcileOptions,
  query: ReportQuery,
): (job: LongJob) => Promise<ReportPage[]> {
  if (file !== undefined) return () => readReportFile(file, query, environment);
  const access = { baseUrl: baseUrl ?? query.format.baseUrl, key: readAdminKey(query.format, environment) };
  return (job) => fetchReportPages(query, access, job);
}

/** The report has only days that have ended, and the gateway only entries that have not expired. */
function requirePossiblePeriod(context: CommandContext, { start, end }: ReconcileOptions): void {
  const nowMs = context.now().getTime();
  const todayMs = startOfPeriod('day', nowMs);
  if (end > todayMs) {
    throw usageError(
      `--end must not be after ${periodText('day', todayMs)}, because today's costs are incomplete`,
    );
  }
  const days = context.retentionDays();
  if (start < nowMs - days * dayMs) {
    const firstDay = periodText('day', todayMs - (days - 1) * dayMs);
    throw usageError(`--start must not be before ${firstDay}, because log entries expire after ${days} days`);
  }
}
