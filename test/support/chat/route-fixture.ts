/** Creates a gateway with a route to several providers, each of which is an upstream of its own. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import { setAllowedModels } from '#lambdas/access/models/changes.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { setRoute } from '#lambdas/routing/changes.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { createTestAuditTrail } from '../audit/test-audit-trail.ts';
import { startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../providers/openai/upstream.ts';
import {
  type ChatHandlerFixture,
  type ChatHandlerFixtureOptions,
  createChatHandlerFixture,
} from './handler-fixture.ts';

export interface RouteFixtureOptions extends Partial<ChatHandlerFixtureOptions> {
  /** The organization's route `main`. */
  route: Route;
  /** The operator's routes. */
  operatorRoutes?: Record<string, Route>;
  /** The settings of further providers. */
  extraSettings?: ProviderSettingsByName;
  /** The models that the organization and the key may use. Default: all. */
  modelLists?: Pick<RequestKey, 'organization_models' | 'key_models'>;
}

export const routedProviders = ['openai', 'mistral', 'groq'] as const;
type RoutedProvider = (typeof routedProviders)[number];

interface RoutedGateway {
  upstreams: Record<RoutedProvider, OpenAIUpstream>;
  gateway: ChatHandlerFixture;
}

export interface RouteFixture {
  setUp(options: RouteFixtureOptions): Promise<RoutedGateway>;
  stop(): Promise<void>;
}

export async function startRouteFixture(): Promise<RouteFixture> {
  const database = await startEmbeddedDynamoDB();
  const started: OpenAIUpstream[] = [];
  const startProvider = async () => {
    const upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    started.push(upstream);
    return upstream;
  };
  return {
    async setUp({ route, operatorRoutes = {}, modelLists = {}, extraSettings = {}, ...options }) {
      const [openai, mistral, groq] = await Promise.all([startProvider(), startProvider(), startProvider()]);
      const upstreams = { openai, mistral, groq };
      const gateway = await createChatHandlerFixture({
        database,
        settings: {
          ...Object.fromEntries(routedProviders.map((name) => [name, { baseUrl: upstreams[name].baseUrl }])),
          ...extraSettings,
        },
        credentials: Object.fromEntries(routedProviders.map((name) => [name, { api_key: 'sk-upstream' }])),
        ...options,
      });
      const directoryTable = { client: database.documentClient, tableName: gateway.tables.directory };
      const audit = createTestAuditTrail(database, gateway.tables);
      await setRoute(directoryTable, { owner: gateway.organizationId, name: 'main' }, route, audit);
      for (const [name, operatorRoute] of Object.entries(operatorRoutes)) {
        await setRoute(directoryTable, { owner: null, name }, operatorRoute, audit);
      }
      const { organization_models = null, key_models = null } = modelLists;
      const { organizationId, apiKeyId } = gateway;
      await setAllowedModels(directoryTable, { organizationId, keyId: null }, organization_models, audit);
      await setAllowedModels(directoryTable, { organizationId, keyId: apiKeyId }, key_models, audit);
      return { upstreams, gateway };
    },
    async stop() {
      await Promise.all(started.map((upstream) => upstream.stop()));
      await database.stop();
    },
  };
}
