/** The budgets of an organization and of its API keys. */

import * as z from 'zod/mini';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { type DashboardResponse, jsonResponse, noContent } from '#lambdas/accounts/http/response.ts';
import { idPattern } from '#lambdas/accounts/http/router.ts';
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
import { findApiKey } from '../keys/find-key.ts';
import { once } from '../once.ts';
import type { BudgetSummary } from '../responses.ts';
import { listBudgets } from './list.ts';
import { readBudgetSummaries } from './owners.ts';
import { budgetFields, budgetScopeOf, budgetTables, period, readBudgets } from './summary.ts';
import { sendTestMail } from './test-mail.ts';

const apiKeyIdError = { error: 'api_key_id must be the id of an API key, or null' };
const apiKeyId = z.nullable(z.string(apiKeyIdError).check(z.regex(idPattern, apiKeyIdError)));

const newBudget = z
  .strictObject({
    api_key_id: apiKeyId,
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
  const scope = await scopeOf(call, dependencies, api_key_id, { acceptsRevoked: false });
  const budget = { amountUsd: amount_usd, hard, allowsUnpriced: allow_unpriced };
  await setBudget(budgetTables(dependencies), scope, period, budget, call.audit);
  return showBudget(call, dependencies, scope, period);
};

const createOrReplaceBudgetOnce = once(createOrReplaceBudget, {
  createdIdOf: () => null,
  /** The budget as it is now. */
  async repeat(call, dependencies) {
    const { api_key_id, period } = await readBody(call, newBudget);
    const scope = await scopeOf(call, dependencies, api_key_id, { acceptsRevoked: true });
    return showBudget(call, dependencies, scope, period);
  },
});

const budgetId = z.strictObject({ api_key_id: apiKeyId, period });

/** `DELETE /dashboard/api/organizations/{organization}/budgets` */
const deleteBudget: OrganizationHandler<null> = async (call, dependencies) => {
  const { api_key_id, period } = await readBody(call, budgetId);
  const scope = await scopeOf(call, dependencies, api_key_id, { acceptsRevoked: true });
  if (await removeBudget(budgetTables(dependencies), scope, period, call.audit)) return noContent();
  throw noBudgetError(period);
};

async function scopeOf(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  keyId: string | null,
  { acceptsRevoked }: { acceptsRevoked: boolean },
): Promise<BudgetScope> {
  if (keyId === null) return { organizationId: call.organization.id, keyId: null };
  const apiKey = await findApiKey(call, dependencies, keyId);
  const scope = budgetScopeOf(apiKey);
  if (apiKey.revoked_at === null || acceptsRevoked) return scope;
  // A key that has replaced it may still spend the budget.
  const firstId = scope.keyId ?? keyId;
  const reader = dependencies.directory;
  const [firstKeys, replacements] = await Promise.all([
    reader.findApiKeys(call.organization.id, [firstId]),
    reader.listReplacements(call.organization.id, firstId),
  ]);
  if ([...firstKeys, ...replacements].some(({ revoked_at }) => revoked_at === null)) return scope;
  throw new GatewayError('conflict', {
    param: 'api_key_id',
    message: 'This API key is revoked, so a budget has no effect: choose an active key',
  });
}

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
