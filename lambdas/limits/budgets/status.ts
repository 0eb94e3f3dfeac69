/** Budgets with what they have spent: what the command line and the dashboard show. */
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import {
  type CounterItem,
  parseCounterItem,
  periodEndMs,
  periodOfCounter,
  periodsAt,
  reservedUsd,
} from '../counters/counter.ts';
import { counterItemKey, counterKey } from '../counters/keys.ts';
import type { BudgetCountersTable } from '../counters/table.ts';
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  type BudgetThreshold,
  budgetPeriods,
  budgetThresholds,
} from './budget.ts';
import { type BudgetRecord, type BudgetRecordQuery, findBudgetRecords, queryBudgetRecords } from './store.ts';

interface BudgetStatusTables {
  directoryTable: DirectoryTable;
  budgetCounters: BudgetCountersTable;
}

export interface BudgetStatus extends Budget {
  scope: BudgetScope;
  period: BudgetPeriod;
  /** A change of a budget takes up to 30 seconds. Until then, the earlier budget is in effect, or none. */
  state: 'activating' | 'active';
  /** The current period, in milliseconds since 1970; the end is exclusive. */
  startMs: number;
  endMs: number;
  /** `null` while a new budget is activating. */
  spentUsd: Usd | null;
  /** For requests that have not ended, or are not counted yet, of any period; `null` like `spentUsd`. */
  reservedUsd: Usd | null;
  /** In this period. */
  refusedRequests: number;
  /** The thresholds whose events were sent in this period. */
  events: readonly BudgetThreshold[];
}

/** The budgets of these scopes, in their order. */
export async function findBudgets(
  tables: BudgetStatusTables,
  scopes: readonly BudgetScope[],
  now: Date,
): Promise<BudgetStatus[]> {
  const records = await findBudgetRecords(tables.directoryTable, scopes);
  return readStatuses(tables, records, now);
}

interface BudgetPage {
  /** The budgets of `limit` scopes at most: a page has all of a scope. */
  budgets: BudgetStatus[];
  /** The last scope, after which the next page begins; `null` on the last one. */
  next: BudgetScope | null;
}

/** The organization's own budgets first, then those of its keys, the newest key first. */
export async function queryBudgets(
  tables: BudgetStatusTables,
  query: BudgetRecordQuery,
  now: Date,
): Promise<BudgetPage> {
  const { records, more } = await queryBudgetRecords(tables.directoryTable, query);
  const budgets = await readStatuses(tables, records, now);
  return { budgets, next: more ? (records.at(-1)?.scope ?? null) : null };
}

/** The scopes of a page, whose counters are read together. */
const pageSize = 500;

/** All budgets, in the order of `queryBudgets`. */
export async function listBudgets(
  tables: BudgetStatusTables,
  organizationId: string,
  now: Date,
): Promise<BudgetStatus[]> {
  const budgets: BudgetStatus[] = [];
  let after: BudgetScope | null = null;
  do {
    const page: BudgetPage = await queryBudgets(tables, { organizationId, after, limit: pageSize }, now);
    budgets.push(...page.budgets);
    after = page.next;
  } while (after !== null);
  return budgets;
}

async function readStatuses(
  { budgetCounters }: BudgetStatusTables,
  records: readonly BudgetRecord[],
  now: Date,
): Promise<BudgetStatus[]> {
  const itemsOf = await findCounters(budgetCounters, records);
  return records.flatMap((record) =>
    budgetPeriods.flatMap((period) => {
      const budget = record.budgets[period];
      return budget === undefined ? [] : statusOf(record, period, budget, itemsOf(record), now);
    }),
  );
}

/** Items that do not exist yet are left out. */
async function findCounters(
  table: BudgetCountersTable,
  records: readonly BudgetRecord[],
): Promise<(record: BudgetRecord) => CounterItem[]> {
  const itemByKey = new Map<string, CounterItem>();
  const read = async (keys: readonly string[]) => {
    for (const item of (await batchGet(table, keys.map(counterItemKey))).map(parseCounterItem)) {
      itemByKey.set(item.key, item);
    }
  };
  const keysOf = ({ scope }: BudgetRecord) => {
    const count = itemByKey.get(counterKey(scope))?.itemCount ?? 0;
    return Array.from({ length: count }, (_, index) => counterKey(scope, index));
  };
  const counted = records.filter(({ counterId }) => counterId !== null);
  await read(counted.map(({ scope }) => counterKey(scope)));
  // The first item has the number of items.
  await read(counted.flatMap(keysOf).filter((key) => !itemByKey.has(key)));
  return (record) => {
    const items = keysOf(record).flatMap((key) => itemByKey.get(key) ?? []);
    return items[0]?.id === record.counterId ? items.filter(({ id }) => id === record.counterId) : [];
  };
}

function statusOf(
  { scope, revision, appliedRevision }: BudgetRecord,
  period: BudgetPeriod,
  budget: Budget,
  items: readonly CounterItem[],
  now: Date,
): BudgetStatus {
  const currentPeriod = periodsAt(now.getTime())[period];
  const counted = appliedRevision === 0 ? [] : items;
  const [first] = counted;
  const sum = (amounts: Usd[]) => (amounts.length === 0 ? null : amounts.reduce(addUsd));
  const notified = first === undefined ? 0 : periodOfCounter(first, currentPeriod).notifiedPercent;
  return {
    ...budget,
    scope,
    period,
    state: revision === appliedRevision ? 'active' : 'activating',
    startMs: parsePeriodText(currentPeriod),
    endMs: periodEndMs(currentPeriod),
    spentUsd: sum(counted.map((counter) => periodOfCounter(counter, currentPeriod).spentUsd)),
    reservedUsd: sum(counted.map((counter) => reservedUsd(counter, now.getTime()))),
    refusedRequests: first === undefined ? 0 : periodOfCounter(first, currentPeriod).refusedRequests,
    events: budgetThresholds.filter((threshold) => threshold <= notified),
  };
}
