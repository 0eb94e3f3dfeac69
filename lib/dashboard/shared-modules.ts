import { join } from 'node:path';

const projectRoot = join(import.meta.dirname, '../..');

/** Modules outside the page's folder whose values it imports. They import only values of each other. */
export const sharedModules: readonly string[] = [
  join(projectRoot, 'lambdas/accounts/email-address.ts'),
  join(projectRoot, 'lambdas/accounts/permissions.ts'),
  join(projectRoot, 'lambdas/limits/budgets/expected-spend.ts'),
  join(projectRoot, 'lambdas/limits/rates/rate-limits.ts'),
  join(projectRoot, 'lambdas/platform/csv.ts'),
  join(projectRoot, 'lambdas/platform/duration.ts'),
  join(projectRoot, 'lambdas/platform/money.ts'),
  join(projectRoot, 'lambdas/request-log/uncertainty.ts'),
  join(projectRoot, 'lambdas/routing/route.ts'),
];
