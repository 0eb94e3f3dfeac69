import { useEffect, useState } from 'react';
import { post } from '#dashboard/api/client.ts';
import type { CallableModel } from '../issued/example-model.ts';

export type Models =
  | { state: 'loading' }
  | { state: 'loaded'; models: readonly CallableModel[] }
  | { state: 'failed'; error: Error; retry: () => void };

/** Loads the models that a key can call. Without the query cache, which would keep the key. */
export function useModels(organizationId: string, apiKey: string): Models {
  const [attempt, setAttempt] = useState(0);
  const [models, setModels] = useState<Models>({ state: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again.
  useEffect(() => {
    let isCurrent = true;
    const show = (result: Models) => isCurrent && setModels(result);
    show({ state: 'loading' });
    post<{ data: CallableModel[] }>('/test-requests/models', {
      organization_id: organizationId,
      api_key: apiKey,
    }).then(
      ({ data }) => show({ state: 'loaded', models: data }),
      (error: Error) => show({ state: 'failed', error, retry: () => setAttempt((count) => count + 1) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [organizationId, apiKey, attempt]);
  return models;
}
