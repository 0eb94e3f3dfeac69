/** What the rows should be, by plain sums over the entries, and what they are. */
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { totalsOf } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { Organization, World } from './rollup-world.ts';

/** Sums by the key of their row. */
export type Rows = Record<string, Totals>;

/** The rows that a generation has to have when all is counted. */
export function expectedRows(
  { entries }: Pick<World, 'entries'>,
  { id }: Pick<Organization, 'id'>,
  generation: number,
): Rows {
  const rows: Rows = {};
  for (const { entry } of entries.filter(({ entry }) => entry.organization_id === id)) {
    for (const key of keysOf(entry)) {
      const name = `${id}#${generation}#${key}`;
      rows[name] = addTotals(rows[name] ?? noTotals, totalsOf(entry));
    }
  }
  return rows;
}

const spans = { month: 'YYYY-MM', day: 'YYYY-MM-DD', hour: 'YYYY-MM-DDTHH', minute: 'YYYY-MM-DDTHH:MM' };

/** Said a second time, in the words of the documentation: dimension, span, write shard, start, value, model. */
function keysOf(entry: LogEntry): string[] {
  const { created_at, api_key_id: api_key, prompt_id, session_id, user_id } = entry;
  const shard = Number.parseInt(entry.id.slice(-2), 16);
  const model = `${entry.provider}/${entry.model}`;
  const values = Object.entries({ api_key, prompt_id, session_id, user_id });
  return Object.entries(spans).flatMap(([span, { length }]) => {
    const start = created_at.slice(0, length);
    const groups = values
      .filter(([, value]) => value !== null && span !== 'minute')
      .map(([name, value]) => `${name}#${span}#${shard} ${start}#${value?.length}:${value}#${model}`);
    return [`model#${span}#${Math.trunc(shard / 8)} ${start}#${model}`, ...groups];
  });
}

/** All rows of the table, by organization and generation. */
export async function countedRows({ client, tableName }: CostRollupsTable): Promise<Map<string, Rows>> {
  const rows = new Map<string, Rows>();
  for await (const { Items = [] } of paginateScan(
    { client },
    { TableName: tableName, ConsistentRead: true },
  )) {
    for (const { pk, sk, requests, cost_usd, input_tokens, output_tokens, unpriced_requests } of Items) {
      const [organization = '', generation] = String(pk).split('#');
      const name = `${organization} ${generation}`;
      const ofOrganization = rows.get(name) ?? {};
      rows.set(name, ofOrganization);
      ofOrganization[`${pk} ${sk}`] = {
        requests,
        cost_usd: String(cost_usd),
        input_tokens,
        output_tokens,
        unpriced_requests,
      };
    }
  }
  return rows;
}
