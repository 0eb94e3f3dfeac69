/** A statement as CSV: a row for each line, and no row of totals, which would break sums. */
import { csvLine } from '#lambdas/platform/csv.ts';
import { focusHeader, focusLine, focusSubjects } from '#lambdas/reports/focus.ts';
import type { Statement, StatementLine } from './responses.ts';

export const statementFormats = {
  csv: { filePrefix: 'statement', write: statementCsv },
  focus: { filePrefix: 'focus', write: statementFocus },
} as const;

const columns = [
  'provider',
  'model',
  'operation',
  'service_tier',
  'api_key_id',
  'api_key_name',
  'requests',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'unpriced_requests',
  'assumed_requests',
  'assumed_cost_usd',
  'estimated_requests',
  'estimated_cost_usd',
  'uncertain_cost_share',
] as const satisfies readonly (keyof StatementLine)[];

function statementCsv({ month, organization: { id, name }, lines }: Statement): string {
  const header = csvLine(['month', 'organization_id', 'organization_name', ...columns]);
  const records = lines.map((line) => csvLine([month, id, name, ...columns.map((column) => line[column])]));
  return header + records.join('');
}

/** The charge period of each line is the month. */
function statementFocus({ start, end, organization, lines }: Statement): string {
  const shared = {
    organizationId: organization.id,
    organizationName: organization.name,
    window: { startMs: Date.parse(start), endMs: Date.parse(end) },
  };
  const records = lines.map(({ provider, model, operation, service_tier, ...line }) =>
    focusLine({
      ...shared,
      subject: focusSubjects[operation].many,
      provider,
      model,
      tiers: [service_tier],
      apiKeyName: line.api_key_name ?? line.api_key_id,
      tokens: line.input_tokens + line.output_tokens,
      costUsd: line.cost_usd,
      uncertain: line,
    }),
  );
  return focusHeader + records.join('');
}
