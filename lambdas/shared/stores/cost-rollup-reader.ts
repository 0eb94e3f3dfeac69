/** Reads cost rollups. */
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { CostRollup, CostRollupReader, RollupRange } from '../domain/rollup.ts';
import { type CostRollupsTable, rollupFromItem, rowQuery } from './cost-rollup-item.ts';

/** A page of 1 MB is in memory for each. */
const lanesAtOnce = 8;

interface LanePage {
  lane: number;
  /** Where the page before ended. */
  after: QueryCommandOutput['LastEvaluatedKey'];
}

export function createCostRollupReader(table: CostRollupsTable): CostRollupReader {
  return { read: (range) => readLanes(table, range) };
}

async function* readLanes(table: CostRollupsTable, range: RollupRange): AsyncGenerator<CostRollup> {
  const waiting = Array.from({ length: range.lanes }, (_, lane): LanePage => ({ lane, after: undefined }));
  while (waiting.length > 0) {
    const pages = waiting.splice(0, lanesAtOnce).map(async (page) => {
      const { Items = [], LastEvaluatedKey: after } = await table.client.send(pageQuery(table, range, page));
      if (after !== undefined) waiting.push({ lane: page.lane, after });
      return Items;
    });
    for (const items of await Promise.all(pages))
      yield* items.map((item) => rollupFromItem(range.dimension, item));
  }
}

function pageQuery(table: CostRollupsTable, range: RollupRange, { lane, after }: LanePage): QueryCommand {
  const query = rowQuery(table, { ...range, lane }, range.window);
  return new QueryCommand({ ...query, ExclusiveStartKey: after });
}
