import { organizationRoute, type Route } from '../call.ts';
import { createOrReplaceBudget, deleteBudget, listBudgets } from './endpoints.ts';

export const budgetRoutes: readonly Route[] = [
  organizationRoute('GET', '/budgets', 'view', listBudgets),
  organizationRoute('POST', '/budgets', 'manage_budgets', createOrReplaceBudget),
  organizationRoute('DELETE', '/budgets', 'manage_budgets', deleteBudget),
];
