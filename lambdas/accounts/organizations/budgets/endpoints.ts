/** The budgets of an organization and of its API keys. */

import * as z from 'zod/mini';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { type DashboardResponse, jsonResponse, noContent } from '#lambdas/accounts/http/response.ts';
import type { BudgetPeriod, BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { removeBudget, setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import {
  type OrganizationCall,
  type OrganizationDependencies,
  type OrganizationHandler,
  organizationRoute,
  type Route,
} from '../call.ts';
import { once } from '../once.ts';
import { apiKeyIdField, findOwner } from '../owners.ts';
import type { BudgetSummary } from '../responses.ts';
import { listBudgets } from './list.ts';
import { budgetFields, budgetTables, period, readBudgetSummaries, readBudgets } from './summary.ts';
import { sendTestMail } from './test-mail.ts';

const newBudget = z
  .strictObject({
    api_key_id: apiKeyIdField,
    ...budgetFields,
    allow_unpriced: z.boolean({ error: 'allow_unpriced must be true or false' }),
  })
  .check(
    z.refine(({ hard, allow_unpriced }) => hard || !allow_unpriced, {
      path: ['allow_unpriced'],
      error: 'allow_unpriced needs a hard budget, because other budgets refuse no requests',
    }),
  );

/** `POST /dashboard/api/organizations/{organization}/budgets`: replaces the budget of the same period. */
const createOrReplaceBudget: OrganizationHandler<BudgetSummary> = async (call, dependencies) => {
  const { api_key_id, period, amount_usd, hard, allow_unpriced } = await readBody(call, newBudget);
  const { scope, isRevoked } = await findOwner(call, dependencies, api_key_id);
  if (isRevoked) {
    throw new GatewayError('conflict', {
      param: 'api_key_id',
      message: 'This API key is revoked, so a budget has no effect: choose an active key',
    });
  }
  const budget = { amountUsd: amount_usd, hard, allowsUnpriced: allow_unpriced };
  await setBudget(budgetTables(dependencies), scope, period, budget, call.audit);
  return showBudget(call, dependencies, scope, period);
};

const createOrReplaceBudgetOnce = once(createOrReplaceBudget, {
  createdIdOf: () => null,
  /** The budget as it is now. */
  async repeat(call, dependencies) {
    const { api_key_id, period } = await readBody(call, newBudget);
    const { scope } = await findOwner(call, dependencies, api_key_id);
    return showBudget(call, dependencies, scope, period);
  },
});

const budgetId = z.strictObject({ api_key_id: apiKeyIdField, period });

/** `DELETE /dashboard/api/organizations/{organization}/budgets` */
const deleteBudget: OrganizationHandler<null> = async (call, dependencies) => {
  const { api_key_id, period } = await readBody(call, budgetId);
  const { scope } = await findOwner(call, dependencies, api_key_id);
  if (await removeBudget(budgetTables(dependencies), scope, period, call.audit)) return noContent();
  throw noBudgetError(period);
};

async function showBudget(
  { organization }: OrganizationCall,
  dependencies: OrganizationDependencies,
  scope: BudgetScope,
  period: BudgetPeriod,
): Promise<DashboardResponse<BudgetSummary>> {
  const budgets = await readBudgets(dependencies, [scope]);
  const summaries = await readBudgetSummaries(dependencies, organization.id, budgets);
  const summary = summaries.find((each) => each.period === period);
  // Somebody has removed it in the meantime.
  if (summary === undefined) throw noBudgetError(period);
  return jsonResponse(summary);
}

function noBudgetError(period: BudgetPeriod): GatewayError {
  return new GatewayError('not_found', { message: `There is no such budget for the ${period}` });
}

export const budgetRoutes: readonly Route[] = [
  organizationRoute('GET', '/budgets', 'view', listBudgets),
  organizationRoute('POST', '/budgets', 'manage_budgets', createOrReplaceBudgetOnce),
  organizationRoute('DELETE', '/budgets', 'manage_budgets', deleteBudget),
  organizationRoute('POST', '/budgets/test-mail', 'manage_budgets', sendTestMail),
];
