import { type GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import { maxItems } from '../costs/budget.ts';

const remedy = 'export its entries with "admin logs export", or use GET /api/costs with a filter';

export function tooManyLines(): GatewayError {
  return invalidRequest(
    'month',
    `The month has more sums of a key, model and service tier than a statement can have (${maxItems}): ${remedy}`,
  );
}

export function statementTooLarge(): GatewayError {
  return invalidRequest('month', `The statement of the month would be too large for a response: ${remedy}`);
}
