import type { Command } from 'commander';
import { z } from 'zod';
import type { Organization } from '#lambdas/access/directory.ts';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import { operationEvent, recordOperation } from '../audited-operation.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { organizationId, readOptions, windowBound, windowOf } from '../options.ts';
import { selectOrganizations } from '../organizations/organizations.ts';
import { readKnownPrices } from '../prices/known-prices.ts';
import { resolvePath } from '../terminal.ts';
import { countAndCostText, countText, textTable } from '../text-table.ts';
import { type ExportProgress, exportEntries, exportProgress } from './export/entries.ts';
import { type ExportFormatName, exportFormats } from './export/formats.ts';
import { type ExportSink, openPartialFile, streamSink } from './export/partial-file.ts';

const formatNames = Object.keys(exportFormats) as ExportFormatName[];
const formatChoice = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formatNames);

const exportOptions = z.object({
  organization: organizationId.optional(),
  from: windowBound,
  to: windowBound,
  format: z.enum(formatNames, `must be ${formatChoice}`),
  output: z.string().min(1, 'must not be empty: pass a file name or omit the option').optional(),
  force: z.boolean().default(false),
});

type ExportOptions = z.output<typeof exportOptions>;

export function addExportCommand(group: Command): void {
  group
    .command('export')
    .description('export log entries to a file, oldest first')
    .option('--organization <id>', 'only this organization (default: all organizations)')
    .requiredOption('--from <time>', 'start of the time window, RFC 3339')
    .requiredOption('--to <time>', 'end of the time window, exclusive, RFC 3339')
    .requiredOption('--format <format>', formatChoice)
    .option(
      '--output <file>',
      'output file; "-" for standard output (default: a file named after the time window)',
    )
    .option('--force', 'replace an existing file')
    .addHelpText('after', exportHelp)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, exportOptions);
      const window = windowOf(options.from, options.to);
      const context = await openCommandContext(command);
      const organizations = await selectOrganizations(context.directory, options.organization);
      const file = options.output === '-' ? null : filePath(options, context.terminal.environment);
      const progress = await runExport(context, options, window, organizations, file);
      const result = { file, format: options.format, window, progress };
      if (file === null) context.terminal.errors.write(`${exportText(result)}\n`);
      else context.show({ json: exportJson(result), text: exportText(result) });
    });
}

const exportHelp = `
ndjson: one JSON object per line, with the fields of GET /api/logs/{id} and organization_id.
csv: RFC 4180 with a header line; null values are empty, lists and objects are JSON. Some text comes from callers, and
spreadsheets run text that begins with = + - or @ as a formula. Text is therefore prefixed with an apostrophe if it
begins with one of these characters, a tab, a line break or an apostrophe (also after a semicolon, a tab or a line
break). ndjson contains all text unchanged.
focus: csv for FinOps tools, with the mandatory columns of FOCUS 1.2 (FinOps Open Cost and Usage Specification). Each
separately billed part of a request that reached a provider has a row. Its four costs are equal: the cost that the
gateway calculated, which the provider's invoice may not match. PricingQuantity is in millions of tokens, 0 for a
request without usage. BillingAccountId is the organization.

The file is named FILE.partial until it is complete.
${longJobHelp}
Run the same command again to continue after a stop or a crash.

The last line shows the number of entries, and the number of requests and the cost that GET /api/costs returns for the
same window. An entry is written when its request ends, up to 15 minutes after the request arrived, and expires after
the number of days in the setting entryRetentionDays.

Examples:
  npm run admin -- logs export --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --format csv
  npm run --silent admin -- logs export --organization org_4fTgQ0wZ6uKc1vXb --from 2026-01-31T00:00:00Z \\
    --to 2026-02-01T00:00:00Z --format ndjson --output - | gzip > january-31.ndjson.gz`;

function filePath(options: ExportOptions, environment: NodeJS.ProcessEnv): string {
  const { organization = 'all', from, to, format } = options;
  const defaultName = `logs-${organization}-${fileNameTime(from)}-${fileNameTime(to)}${exportFormats[format].fileSuffix}`;
  return resolvePath(options.output ?? defaultName, environment);
}

function fileNameTime(timestampMs: number): string {
  return new Date(timestampMs).toISOString().replace(/[-:]/g, '').replace('.000', '');
}

async function runExport(
  context: CommandContext,
  options: ExportOptions,
  window: TimeWindow,
  organizations: readonly Organization[],
  file: string | null,
): Promise<ExportProgress> {
  const { logEntries, terminal } = context;
  const { organization = null, format, force } = options;
  const sink: ExportSink<ExportProgress> =
    file === null
      ? streamSink(terminal.output)
      : await openPartialFile({
          path: file,
          task: JSON.stringify({ table: logEntries.tableName, organization, ...window, format }),
          progressSchema: exportProgress,
          overwrite: force,
          nowMs: Date.now,
        });
  const resumeHint = () => `run the same command again to ${file === null ? 'start over' : 'continue'}`;
  let entries = sink.resumed?.entries ?? 0;
  const write = async (job: LongJob) => {
    if (sink.resumed !== null) job.note(`continuing ${file}.partial after ${sink.resumed.entries} entries`);
    return exportEntries({
      logEntries,
      shards: organizations.flatMap(({ id, log_shards }) => shardsOf(id, log_shards)),
      window,
      format: await exportFormats[format].create({
        organizations,
        readPrices: () => readKnownPrices(context),
      }),
      sink,
      job,
      onProgress: (progress) => {
        entries = progress.entries;
      },
    });
  };
  const work = (job: LongJob) =>
    recordOperation(context, {
      event: exportEvent(options),
      signal: job.signal,
      work: () => write(job),
      counts: () => ({ entries }),
    });
  const progress = await runLongJob(work, { resumeHint, terminal }).catch(async (error: unknown) => {
    await sink.suspend();
    throw error;
  });
  await sink.finish();
  return progress;
}

function exportEvent({ organization, from, to, format }: ExportOptions): AuditEvent {
  return operationEvent({
    action: 'log_entries.exported',
    type: 'log_entries',
    organizationId: organization ?? null,
    options: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), format },
  });
}

interface ExportResult {
  /** `null` for standard output. */
  file: string | null;
  format: ExportFormatName;
  window: TimeWindow;
  progress: ExportProgress;
}

/** Uses the field names of GET /api/costs. */
function exportJson({ file, format, window, progress: { entries, totals } }: ExportResult) {
  return {
    file,
    format,
    from: new Date(window.startMs).toISOString(),
    to: new Date(window.endMs).toISOString(),
    entries,
    total_requests: totals.requests,
    total_cost_usd: usdJson(totals.cost_usd),
    total_input_tokens: totals.input_tokens,
    total_output_tokens: totals.output_tokens,
    unpriced_requests: totals.unpriced_requests,
    assumed_requests: totals.assumed_requests,
    assumed_cost_usd: usdJson(totals.assumed_cost_usd),
    estimated_requests: totals.estimated_requests,
    estimated_cost_usd: usdJson(totals.estimated_cost_usd),
    uncertain_cost_share: uncertainShare(totals),
  };
}

function exportText({ file, progress: { entries, totals } }: ExportResult): string {
  return textTable(
    ['FILE', 'ENTRIES', 'REQUESTS', 'COST IN USD', 'UNPRICED', 'ASSUMED', 'ESTIMATED'],
    [
      [
        file ?? '-',
        String(entries),
        String(totals.requests),
        totals.cost_usd,
        countText(totals.unpriced_requests),
        countAndCostText(totals.assumed_requests, totals.assumed_cost_usd),
        countAndCostText(totals.estimated_requests, totals.estimated_cost_usd),
      ],
    ],
  );
}
