import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';

/** Well known and cheap. */
const preferred = 'openai/gpt-4o-mini';

/** Returns a model that can be called, if there is one. */
export function exampleModel(models: readonly Pick<ModelSummary, 'id' | 'set_up'>[]): string {
  const callable = models.filter(({ set_up: isSetUp }) => isSetUp);
  const model = callable.find(({ id }) => id === preferred) ?? callable[0];
  return model?.id ?? preferred;
}
