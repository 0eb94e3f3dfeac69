/** Refuses models that an organization or a key may not use. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import { refusingList } from '#lambdas/access/models/allow-list.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const owners = { organization: 'the organization', api_key: 'this API key' } as const;

/** `model` is the requested name, with the provider. Throws a `GatewayError` (403). */
export function requireAllowedModel(apiKey: RequestKey, model: string): void {
  const owner = refusingList(apiKey, model);
  if (owner === null) return;
  throw new GatewayError('model_not_allowed', {
    param: 'model',
    message: `The model ${model} is not in the list of allowed models of ${owners[owner]}: GET /ai/models lists those that this API key may use`,
  });
}
