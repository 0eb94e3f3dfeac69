/** https://platform.claude.com/docs/en/api/admin/cost_report */
import { z } from 'zod';
import { timestamp } from '#cli/options.ts';
import { decimalUsd, usDollars } from './report-amount.ts';
import {
  type CostReportFormat,
  isStartOfDay,
  optionalText,
  type ReportRow,
  reportPage,
  reportRows,
  startOfDayMessage,
} from './report-format.ts';

const row = z
  .object({
    amount: z
      .string('must be decimal text, the number of cents')
      .transform(decimalUsd({ dollarDecimals: 2 })),
    currency: usDollars,
    model: optionalText,
    description: optionalText,
    cost_type: optionalText,
    workspace_id: optionalText,
  })
  .transform(
    ({ amount, model, description, cost_type, workspace_id }): ReportRow => ({
      model: model || null,
      name: description ?? cost_type ?? null,
      scope: workspace_id ?? null,
      usd: amount,
    }),
  );

const bucket = z.object({
  starting_at: timestamp.refine(isStartOfDay, startOfDayMessage),
  results: reportRows(row),
});

export const anthropicReport: CostReportFormat = {
  scopeOption: 'workspace',
  scopeField: 'workspace_id',
  nameField: 'description',
  nullScope: 'default',
  baseUrl: 'https://api.anthropic.com/v1',
  path: '/organizations/cost_report',
  keyVariable: 'ANTHROPIC_ADMIN_KEY',
  keyDescription: 'an admin key of the organization, which starts with "sk-ant-admin", not an API key',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  // The report has no filter by workspace.
  query: ({ startMs, endMs }) => [
    ['starting_at', new Date(startMs).toISOString()],
    ['ending_at', new Date(endMs).toISOString()],
    ['bucket_width', '1d'],
    ['group_by[]', 'description'],
    ['group_by[]', 'workspace_id'],
    ['limit', '31'],
  ],
  page: reportPage(bucket, ({ starting_at, results }) => ({ startMs: starting_at, rows: results })),
};
