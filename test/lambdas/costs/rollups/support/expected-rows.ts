import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type CostRollupsTable, rollupFromItem } from '#lambdas/costs/rollups/item.ts';
import { addTotals, entryTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Organization, RollupFixture } from './rollup-fixture.ts';

export type Rows = Record<string, Totals>;

export function expectedRows(
  { entries }: Pick<RollupFixture, 'entries'>,
  { id }: Pick<Organization, 'id'>,
  generation: number,
): Rows {
  const rows: Rows = {};
  for (const { entry } of entries.filter(({ entry }) => entry.organization_id === id)) {
    for (const rowKey of rowKeysOf(entry)) {
      const key = `${id}#${generation}#${rowKey}`;
      const withHistograms = /^(totals|api_key|prompt_id)#/.test(rowKey);
      rows[key] = addTotals(rows[key] ?? noTotals, expectedAddition(entry, withHistograms));
    }
  }
  return rows;
}

function expectedAddition(entry: LogEntry, withHistograms: boolean): Totals {
  const { outcome, superseded_by, cost_usd, pricing } = entry;
  if (outcome === 'rejected') return { ...noTotals, rejected_requests: entry.refused_requests ?? 1 };
  if (superseded_by === null) return entryTotals(entry, { withHistograms });
  return {
    ...noTotals,
    fallback_attempts: 1,
    cost_usd,
    assumed_cost_usd: pricing === 'assumed' ? cost_usd : '0',
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    cached_input_tokens: entry.cached_input_tokens ?? 0,
    cache_write_input_tokens: entry.cache_write_input_tokens ?? 0,
    reasoning_tokens: entry.reasoning_tokens ?? 0,
  };
}

const periodFormats = {
  month: 'YYYY-MM',
  day: 'YYYY-MM-DD',
  hour: 'YYYY-MM-DDTHH',
  minute: 'YYYY-MM-DDTHH:MM',
};

/**
 * Implements the documented key format independently: dimension, period, write shard, start, value, operation, tier and model.
 */
function rowKeysOf(entry: LogEntry): string[] {
  const { created_at, api_key_id: api_key, prompt_id, session_id, user_id, route } = entry;
  const { service_tier, error_code } = entry;
  const operation = entry.operation === 'chat.completions' ? '' : `${entry.operation}/`;
  const isRejected = entry.outcome === 'rejected';
  const shard = Number.parseInt(entry.id.slice(-2), 16);
  const tier = service_tier === null ? '' : `${service_tier.length}:${service_tier}`;
  const model = `${entry.provider}/${operation}${tier}/${entry.model}`;
  const modelIn = (dimension: string) => {
    if (!isRejected) return model;
    return dimension === 'error_code'
      ? `${entry.provider ?? ''}/${operation}/${entry.model ?? ''}`
      : `/${operation}/`;
  };
  const values = Object.entries(
    isRejected
      ? { api_key, route, error_code }
      : { api_key, prompt_id, session_id, user_id, route, error_code },
  );
  return Object.entries(periodFormats).flatMap(([period, { length }]) => {
    const start = created_at.slice(0, length);
    const groups = values
      .filter(([, value]) => value !== null && period !== 'minute')
      .filter(([dimension]) => dimension !== 'error_code' || period !== 'month')
      .map(
        ([dimension, value]) =>
          `${dimension}#${period}#${shard} ${start}#${value?.length}:${value}#${modelIn(dimension)}`,
      );
    return [`totals#${period}#${Math.trunc(shard / 8)} ${start}#${modelIn('totals')}`, ...groups];
  });
}

/** All rows of the table, by organization and generation. */
export async function readAllRows({ client, tableName }: CostRollupsTable): Promise<Map<string, Rows>> {
  const rows = new Map<string, Rows>();
  for await (const { Items = [] } of paginateScan(
    { client },
    { TableName: tableName, ConsistentRead: true },
  )) {
    for (const { pk, sk, ...item } of Items) {
      const [organization = '', generation] = String(pk).split('#');
      const key = `${organization} ${generation}`;
      const organizationRows = rows.get(key) ?? {};
      rows.set(key, organizationRows);
      organizationRows[`${pk} ${sk}`] = rollupFromItem('totals', { sk, ...item }).totals;
    }
  }
  return rows;
}
