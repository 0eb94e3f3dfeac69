/** Reads all pages of a cost report: from the provider's API, or from a file with its responses. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AdminError, usageError } from '#cli/errors.ts';
import { resolvePath } from '#cli/terminal.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostReportFormat, ReportPage, ReportRow } from './report-format.ts';
import { requestReport } from './report-request.ts';

export interface ReportQuery {
  format: CostReportFormat;
  period: TimeWindow;
  /** The project or workspace; `null` for all. */
  scope: string | null;
}

interface ReportAccess {
  /** Without a trailing slash. */
  baseUrl: string;
  key: string;
}

export async function fetchReportPages(
  { format, period, scope }: ReportQuery,
  { baseUrl, key }: ReportAccess,
  job: Pick<LongJob, 'signal' | 'wait' | 'report'>,
): Promise<ReportPage[]> {
  const pages: ReportPage[] = [];
  const cursors = new Set<string>();
  const url = new URL(`${baseUrl}${format.path}`);
  const keyAdvice = `${format.keyVariable} must be ${format.keyDescription}`;
  const source = `The response of ${url}`;
  url.search = new URLSearchParams(format.query(period, scope)).toString();
  for (;;) {
    const text = await requestReport({ url, headers: format.headers(key), key, keyAdvice }, job);
    const page = parseReport(text, () => format.page, source);
    pages.push(page);
    job.report(`cost report: ${pages.reduce((days, { buckets }) => days + buckets.length, 0)} days read`);
    if (!page.hasMore) return pages;
    if (page.nextPage === null || cursors.has(page.nextPage)) {
      throw new AdminError(`${source} has more pages, but its next_page is not a new one`);
    }
    cursors.add(page.nextPage);
    url.searchParams.set('page', page.nextPage);
  }
}

/** Throws for a key that is missing or cannot be sent in a header, without repeating it. */
export function readAdminKey({ keyVariable }: CostReportFormat, environment: NodeJS.ProcessEnv): string {
  const key = environment[keyVariable]?.trim() ?? '';
  if (key === '') {
    throw usageError(
      `the environment variable ${keyVariable} must contain an admin key; or pass a saved report with --file FILE`,
    );
  }
  if (!/^[!-~]+$/.test(key)) {
    throw usageError(
      `the environment variable ${keyVariable} must contain a key without spaces or line breaks`,
    );
  }
  return key;
}

export async function readReportFile(
  file: string,
  { format, scope }: ReportQuery,
  environment: NodeJS.ProcessEnv,
): Promise<ReportPage[]> {
  const path = resolvePath(file, environment);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const isSystemError = error instanceof Error && 'code' in error;
    throw isSystemError ? new AdminError(`--file: ${path} cannot be read (${error.code})`) : error;
  });
  const schemaOf = (document: unknown) =>
    Array.isArray(document) ? z.array(format.page) : format.page.transform((page) => [page]);
  const pages = parseReport(text, schemaOf, path);
  requireGrouping(pages, format.nameField, ({ name, model }) => name ?? model);
  // In the default workspace, all rows have no id.
  if (scope !== null && scope !== format.nullScope) {
    requireGrouping(pages, format.scopeField, (row) => row.scope, `, or omit --${format.scopeOption}`);
  }
  return pages;
}

/** In a report that is not grouped by a field, all rows have `null` there and contain the costs of all its values. */
function requireGrouping(
  pages: readonly ReportPage[],
  field: string,
  fieldOf: (row: ReportRow) => string | null,
  alternative = '',
): void {
  const rows = pages.flatMap(({ buckets }) => buckets.flatMap((bucket) => bucket.rows));
  if (rows.length === 0 || rows.some((row) => fieldOf(row) !== null)) return;
  throw new AdminError(
    `--file: no row has a ${field}: save the report with group_by[]=${field}${alternative}`,
  );
}

/** Throws an `AdminError` that begins with the name of the source, and names the invalid field but not its value. */
function parseReport<Schema extends z.ZodType>(
  text: string,
  schemaOf: (document: unknown) => Schema,
  source: string,
): z.output<Schema> {
  const document = parseExactJson(text);
  if (document === undefined) throw new AdminError(`${source} is not valid JSON`);
  const { success, data, error } = schemaOf(document).safeParse(document);
  if (success) return data;
  const [issue] = error.issues;
  const field = fieldName(issue?.path ?? []);
  throw new AdminError(`${source} is not a valid cost report: ${field}${issue?.message}`);
}

/** `data[0].results[2].amount ` */
function fieldName(path: readonly PropertyKey[]): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return name === '' ? '' : `${name.replace(/^\./, '')} `;
}
