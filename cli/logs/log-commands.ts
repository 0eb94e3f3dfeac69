import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Organization } from '#lambdas/access/directory.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { type CommandSession, openSession } from '../command-session.ts';
import { longJobHelp, runLongJob } from '../long-job.ts';
import { chooseOrganizations } from '../organizations/organizations.ts';
import { parseTime, windowOf } from '../window-options.ts';
import { type ExportProgress, exportEntries } from './export/export-entries.ts';
import { type ExportFormatName, exportFormats } from './export/export-formats.ts';
import { defaultFileName, type ExportResult, exportJson, exportText } from './export/export-result.ts';
import { type ExportSink, streamSink } from './export/export-sink.ts';
import { openPartialFile } from './export/partial-file.ts';
import { addRecoverCommand } from './recover/recover-command.ts';

export interface ExportOptions {
  organization?: string;
  from: number;
  to: number;
  format: ExportFormatName;
  output?: string;
  force?: boolean;
}

export function addLogCommands(program: Command): void {
  const group = program.command('logs').description('the log entries of requests');
  addExportCommand(group);
  addRecoverCommand(group);
}

function addExportCommand(group: Command): void {
  group
    .command('export')
    .description('write log entries to a file, in order of time, the oldest first')
    .option('--organization <id>', 'whose entries (default: those of all organizations)')
    .requiredOption('--from <time>', 'the first moment, in RFC 3339', parseTime)
    .requiredOption('--to <time>', 'the moment after the last, in RFC 3339', parseTime)
    .addOption(
      new Option('--format <format>', 'how entries are written')
        .choices(Object.keys(exportFormats))
        .makeOptionMandatory(),
    )
    .option('--output <file>', 'where to; "-" is standard output (default: a file named after the window)')
    .option('--force', 'replace a file that is there')
    .addHelpText('after', exportHelp)
    .action(async (options: ExportOptions, command: Command) => {
      const window = windowOf(options.from, options.to);
      const session = await openSession(command);
      const organizations = await chooseOrganizations(session.directory, options.organization);
      const result = await runExport(session, { options, window, organizations });
      if (result.file === null) session.terminal.errors.write(`${exportText(result)}\n`);
      else session.show({ json: exportJson(result), text: exportText(result) });
    });
}

const exportHelp = `
ndjson: a line of JSON for each entry, with the fields of GET /api/logs and organization_id.
csv: RFC 4180 with a line of names; what does not apply is empty. Callers choose some of the text, and a spreadsheet
runs text that begins with = + - or @ as a formula. So text has an apostrophe in front if it begins with one of these,
a tab, a line end or an apostrophe (also behind a semicolon, a tab or a line end). ndjson has all text as it is.

The file is FILE.partial until it is complete.
${longJobHelp}
The same command goes on where it stopped, also when it was killed.

The last line says how many entries there are, and the requests and the cost that GET /api/costs has for the same
window. An entry is written when its request ends, up to 15 minutes after it came, and expires after the days of the
setting entryRetentionDays.

Examples:
  npm run admin -- logs export --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --format csv
  npm run --silent admin -- logs export --organization org_4fTgQ0wZ6uKc1vXb --from 2026-01-31T00:00:00Z \\
    --to 2026-02-01T00:00:00Z --format ndjson --output - | gzip > january-31.ndjson.gz`;

interface ExportRequest {
  options: ExportOptions;
  window: TimeWindow;
  organizations: readonly Organization[];
}

async function runExport(session: CommandSession, request: ExportRequest): Promise<ExportResult> {
  const { options, window, organizations } = request;
  const file = options.output === '-' ? null : filePath(options, session.terminal.environment);
  const sink = await openSink(session, { ...request, file });
  const work = async (job: LongJob) => {
    const { resumed } = sink;
    if (resumed !== null) job.note(`going on behind the ${resumed.entries} entries of ${file}.partial`);
    return exportEntries({
      logEntries: session.logEntries,
      shards: organizations.flatMap(({ id, log_shards }) => shardsOf(id, log_shards)),
      window,
      format: exportFormats[options.format],
      sink,
      job,
    });
  };
  const howToGoOn = () => `the same command ${file === null ? 'starts again' : 'goes on from here'}`;
  const progress = await runLongJob(work, { howToGoOn, output: session.terminal.errors }).catch(
    async (error: unknown) => {
      await sink.leave();
      throw error;
    },
  );
  await sink.finish();
  return { file, format: options.format, window, ...progress };
}

async function openSink(
  { logEntries, terminal }: CommandSession,
  { options, window, file }: ExportRequest & { file: string | null },
): Promise<ExportSink<ExportProgress>> {
  if (file === null) return streamSink(terminal.output);
  const { organization = null, format } = options;
  return openPartialFile({
    path: file,
    task: JSON.stringify({ table: logEntries.tableName, organization, ...window, format }),
    mayReplace: options.force === true,
    nowMs: Date.now,
  });
}

/** From where npm was called, which itself goes to the project's folder. */
function filePath(options: ExportOptions, environment: NodeJS.ProcessEnv): string {
  const folder = environment.INIT_CWD ?? process.cwd();
  return resolve(folder, options.output ?? defaultFileName(options));
}
