/** https://platform.openai.com/docs/api-reference/usage/costs */
import { z } from 'zod';
import { decimalUsd, numberOrText, usDollars } from './report-amount.ts';
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
    // The published type is a number, but responses contain text as well.
    amount: z.object(
      { value: numberOrText.transform(decimalUsd({ dollarDecimals: 0 })), currency: usDollars },
      'is required',
    ),
    line_item: optionalText,
    project_id: optionalText,
  })
  .transform(
    ({ amount, line_item = null, project_id = null }): ReportRow => ({
      model: line_item === null ? null : modelOfLineItem(line_item),
      name: line_item,
      scope: project_id,
      usd: amount.value,
    }),
  );

const bucket = z.object({
  start_time: z
    .int('must be a time in seconds')
    .transform((seconds) => seconds * 1000)
    .refine(isStartOfDay, startOfDayMessage),
  results: reportRows(row),
});

/** `gpt-5.4, input`, `priority | gpt-5.4, cached input, long context`, `gpt-audio text, output` */
const tokens =
  /^(?:.+ \| )?([^\s|,]+)(?: (?:text|image|audio))?, (?:input|cached input|output|cache writes)(?:, long context)?$/;

/** `whisper`, whose unit is not tokens; names of other items contain spaces or capitals. */
const bareModel = /^[a-z0-9][a-z0-9.:_-]*$/;

/** Line items are not documented. Returns `null` for one that names no model, such as `web search tool calls`. */
export function modelOfLineItem(lineItem: string): string | null {
  if (bareModel.test(lineItem)) return lineItem;
  return tokens.exec(lineItem)?.[1] ?? null;
}

export const openAiReport: CostReportFormat = {
  scopeOption: 'project',
  scopeField: 'project_id',
  nameField: 'line_item',
  baseUrl: 'https://api.openai.com/v1',
  path: '/organization/costs',
  keyVariable: 'OPENAI_ADMIN_KEY',
  keyDescription: 'an admin key of the organization that may read usage, not the key of a project',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  query: ({ startMs, endMs }, project) => [
    ['start_time', String(startMs / 1000)],
    ['end_time', String(endMs / 1000)],
    ['bucket_width', '1d'],
    ['group_by[]', 'line_item'],
    ['group_by[]', 'project_id'],
    ['limit', '180'],
    ...(project === null ? [] : [['project_ids[]', project] satisfies [string, string]]),
  ],
  page: reportPage(bucket, ({ start_time, results }) => ({ startMs: start_time, rows: results })),
};
