/** Counts the input tokens of a message with the provider's own counter, which is free and not logged. */

import type { RequestKey } from '#lambdas/access/directory.ts';
import { StatedError } from '#lambdas/inference/completion/facts.ts';
import type { IncomingRequest } from '#lambdas/inference/exchange/exchange.ts';
import { readBody } from '#lambdas/inference/exchange/read-response.ts';
import { type SendDependencies, send } from '#lambdas/inference/exchange/send.ts';
import { tokenCounterOf } from '#lambdas/inference/providers/catalog.ts';
import { type CredentialSource, requireCredential } from '#lambdas/inference/providers/credentials.ts';
import { createProtocolTable } from '#lambdas/inference/providers/protocols.ts';
import { redact, redactError } from '#lambdas/inference/providers/redact.ts';
import type { ProviderRegistry, ResolvedModel } from '#lambdas/inference/providers/registry.ts';
import { unknownRouteError } from '#lambdas/inference/routing/errors.ts';
import { requireAllowedModel } from '#lambdas/inference/routing/model-access.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import type { RouteLookup } from '#lambdas/routing/lookup.ts';
import { routePrefix } from '#lambdas/routing/route.ts';
import { type CountTokensRequest, missingCounterError, parseCountTokensRequest } from './request.ts';

interface CountTokensDependencies extends SendDependencies {
  providers: ProviderRegistry;
  credentials: CredentialSource;
  /** Only for requests that name a route. */
  loadRoutes(): Promise<RouteLookup>;
}

interface CountTokensResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Returns the provider's error if it is in Anthropic's format. Throws a `GatewayError` for any other. */
export type CountTokensEndpoint = (
  incoming: IncomingRequest,
  apiKey: RequestKey,
) => Promise<CountTokensResponse>;

const tokenCounterFor = createProtocolTable<CountTokensRequest>(
  {
    openai: async () =>
      (await import('#lambdas/inference/providers/openai/count-tokens.ts')).createOpenAiTokenCounter,
    anthropic: async () =>
      (await import('#lambdas/inference/providers/anthropic/count-tokens.ts')).createAnthropicTokenCounter,
    google: async () =>
      (await import('#lambdas/inference/providers/google/count-tokens.ts')).createGoogleTokenCounter,
    bedrock: async () =>
      (await import('#lambdas/inference/providers/bedrock/count-tokens.ts')).createBedrockTokenCounter,
  },
  { find: tokenCounterOf, missingError: ({ name }, model) => missingCounterError(name, model) },
);

export function createCountTokensEndpoint(dependencies: CountTokensDependencies): CountTokensEndpoint {
  const { credentials, limits, now } = dependencies;
  return async (incoming, apiKey) => {
    const request = parseCountTokensRequest(await readBodyText(incoming.request));
    const { provider, model } = await resolveModel(dependencies, apiKey, request.model);
    const prepare = tokenCounterFor(provider);
    const prepared = await prepare({
      request,
      provider: provider.name,
      model,
      apiKey: await requireCredential(credentials, provider),
      callerHeaders: incoming.request.headers,
      // Only the ids in a completion are derived from it.
      requestId: '',
      receivedAtMs: now().getTime(),
      now,
    });
    const { response, watch, prepared: sent } = await send(dependencies, incoming, provider, prepared);
    const { apiKey: credential } = sent.call;
    const headers = { 'content-type': 'application/json', ...response.callerHeaders };
    if (response.kind === 'failure') {
      const { error } = response;
      const original = error instanceof StatedError ? error.original : null;
      if (original === null) throw redactError(error, credential);
      const { status, body } = original;
      return { status, headers: { ...headers, ...error.headers }, body: redact(body, credential) };
    }
    const options = { watch, limits, now };
    const { body, error } = await readBody(
      { provider, operation: {}, parsed: request },
      response,
      options,
    ).finally(watch.stop);
    if (error !== null) throw redactError(error, credential);
    return { status: 200, headers, body: redact(body.toString('utf8'), credential) };
  };
}

/** The tokens of a request to a route are those at the first target with a counter. Throws a `GatewayError`. */
async function resolveModel(
  { providers, loadRoutes }: CountTokensDependencies,
  apiKey: RequestKey,
  requested: string,
): Promise<ResolvedModel> {
  if (!requested.startsWith(routePrefix)) {
    const resolved = providers.resolve(requested);
    requireAllowedModel(apiKey, `${resolved.provider.name}/${resolved.model}`);
    return resolved;
  }
  requireAllowedModel(apiKey, requested);
  const name = requested.slice(routePrefix.length);
  const route = await (await loadRoutes()).find(apiKey.organization_id, name);
  if (route === null) throw unknownRouteError(name);
  const targets = route.targets.map((target) => providers.resolve(target.model));
  const [first = targets[0]] = targets.filter(
    ({ provider }) => tokenCounterOf(provider.api.entry) !== undefined,
  );
  if (first === undefined) throw unknownRouteError(name);
  return first;
}
