/** The list of an organization's budgets, page by page. */

import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { type BudgetPeriod, budgetPeriods } from '#lambdas/limits/budgets/budget.ts';
import { type BudgetStatus, queryBudgets } from '#lambdas/limits/budgets/status.ts';
import { readChoice, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import type { OrganizationCall, OrganizationDependencies, OrganizationHandler } from '../call.ts';
import { cursorError } from '../keys/filter.ts';
import { organizationCursor, readOwnerCursor } from '../owners.ts';
import type { BudgetList } from '../responses.ts';
import { budgetTables, percentOf, readBudgetSummaries } from './summary.ts';

const defaultLimit = 25;
const maxLimit = 100;
const orders = ['created', 'spent'] as const;

interface ListQuery {
  limit: number;
  cursor: string | undefined;
}

/**
 * `GET /dashboard/api/organizations/{organization}/budgets`. In the order of creation, the organization's own come first, then
 * those of the newest key; the limit is that of keys, and a page has all budgets of a key.
 */
export const listBudgets: OrganizationHandler<BudgetList> = async (call, dependencies) => {
  const parameters = readQueryParameters(call.query, ['limit', 'cursor', 'order']);
  const { limit, cursor, order = 'created' } = parameters;
  const read = readChoice('order', order, orders) === 'created' ? readByCreation : readBySpending;
  const { budgets, ...page } = await read(call, dependencies, {
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
    cursor,
  });
  const data = await readBudgetSummaries(dependencies, call.organization.id, budgets);
  const mail = { sender: dependencies.sendMail !== null };
  return jsonResponse({ object: 'list', data, ...page, mail });
};

interface ListPage extends Pick<BudgetList, 'next_cursor' | 'ranking'> {
  budgets: BudgetStatus[];
}

async function readByCreation(
  { organization }: OrganizationCall,
  dependencies: OrganizationDependencies,
  { limit, cursor }: ListQuery,
): Promise<ListPage> {
  const after = cursor === undefined ? null : { keyId: readOwnerCursor(cursor) };
  const query = { organizationId: organization.id, after, limit };
  const { budgets, next } = await queryBudgets(budgetTables(dependencies), query, dependencies.now());
  return { budgets, next_cursor: next && (next.keyId ?? organizationCursor), ranking: null };
}

/** The organization and the newest keys with budgets, whose spending is compared. */
const maxRankedOwners = 1001;

/** The place of a budget in the order of spending. */
interface Position {
  /**
   * In percent of the amount; `null` for a new budget, which comes last. At least 100 for one that refuses requests, however
   * little is spent.
   */
  percent: number | null;
  keyId: string | null;
  period: BudgetPeriod;
}

async function readBySpending(
  { organization }: OrganizationCall,
  dependencies: OrganizationDependencies,
  { limit, cursor }: ListQuery,
): Promise<ListPage> {
  const after = cursor === undefined ? null : readPosition(cursor);
  const query = { organizationId: organization.id, after: null, limit: maxRankedOwners };
  const { budgets, next } = await queryBudgets(budgetTables(dependencies), query, dependencies.now());
  const ranked = budgets
    .map((budget) => ({ budget, position: positionOf(budget) }))
    .sort((one, other) => comparePositions(one.position, other.position));
  const remaining = ranked.filter(({ position }) => after === null || comparePositions(after, position) < 0);
  const page = remaining.slice(0, limit);
  const last = page.at(-1);
  return {
    budgets: page.map(({ budget }) => budget),
    next_cursor: remaining.length > limit && last !== undefined ? writePosition(last.position) : null,
    ranking: { budgets: ranked.length, complete: next === null },
  };
}

function positionOf(budget: BudgetStatus): Position {
  const { scope, period, refusedRequests } = budget;
  const spent = percentOf(budget);
  const percent = refusedRequests > 0 ? Math.max(spent ?? 0, 100) : spent;
  return { percent, keyId: scope.keyId, period };
}

/** Budgets with the same percentage are in the order of creation. */
function comparePositions(one: Position, other: Position): number {
  return (
    (other.percent ?? -1) - (one.percent ?? -1) ||
    descending(one.keyId ?? organizationCursor, other.keyId ?? organizationCursor) ||
    budgetPeriods.indexOf(one.period) - budgetPeriods.indexOf(other.period)
  );
}

const newBudget = 'new';

function writePosition({ percent, keyId, period }: Position): string {
  return [percent ?? newBudget, keyId ?? organizationCursor, period].join('~');
}

function readPosition(text: string): Position {
  const [percent = '', owner = '', period = '', ...others] = text.split('~');
  const found = budgetPeriods.find((known) => known === period);
  const isPercent = percent === newBudget || /^\d{1,15}$/.test(percent);
  if (found === undefined || !isPercent || others.length > 0) throw cursorError();
  return {
    percent: percent === newBudget ? null : Number(percent),
    keyId: readOwnerCursor(owner),
    period: found,
  };
}
