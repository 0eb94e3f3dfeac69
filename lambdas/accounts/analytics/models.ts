/** The providers and models that an organization can use. */

import { readProviderSetUps } from '#lambdas/inference/providers/set-up.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { jsonResponse } from '../http/response.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from './call.ts';
import type { ModelList, ProviderList } from './responses.ts';

/** `GET /dashboard/api/analytics/{organization}/providers` */
const listProviders: AnalyticsHandler<ProviderList> = async ({ query }, { providers }) => {
  readQueryParameters(query, []);
  const setUps = await readProviderSetUps(providers);
  return jsonResponse({
    object: 'list',
    data: setUps
      .map(({ access: { name }, isSetUp, hasCredential }) => ({
        name,
        set_up: isSetUp,
        has_credential: hasCredential,
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
  });
};

const loadPriceList = lazy(() => import('./price-list.ts'));

/** `GET /dashboard/api/analytics/{organization}/models` */
const listModels: AnalyticsHandler<ModelList> = async ({ organization, query }, { providers, now }) => {
  readQueryParameters(query, []);
  const { readPriceList } = await loadPriceList();
  return jsonResponse(await readPriceList({ providers, organizationId: organization.id, at: now() }));
};

export const modelRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/providers', listProviders),
  analyticsRoute('/models', listModels),
];
