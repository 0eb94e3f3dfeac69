/** Prepares embeddings requests without a network, and reads scripted responses to them. */
import { embeddings } from '#lambdas/inference/embeddings/operation.ts';
import type { PreparedRequest } from '#lambdas/inference/providers/provider.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { exampleClientOptions } from '../aws/client-options.ts';
import { exampleRequestId, readBody, respondTo, type ScriptedResponse } from '../providers/provider-call.ts';

interface EmbeddingsCallOptions {
  settings?: ProviderSettingsByName;
  apiKey?: string | null;
  callerHeaders?: Record<string, string>;
}

/** `body` is the caller's, as an object or as JSON. Returns a request for each call of the provider. */
export async function prepareEmbeddings(
  body: object | string,
  { settings = {}, apiKey = 'sk-1', callerHeaders = {} }: EmbeddingsCallOptions = {},
): Promise<PreparedRequest[]> {
  const request = embeddings.parse(typeof body === 'string' ? body : JSON.stringify(body));
  const { provider, model } = createProviderRegistry(settings, exampleClientOptions).resolve(request.model);
  const prepared = await request.prepareFor(provider)({
    provider: provider.name,
    model,
    apiKey,
    callerHeaders,
    requestId: exampleRequestId,
    receivedAtMs: 0,
    now: () => new Date(0),
  });
  return 'parts' in prepared ? prepared.parts.map((part) => part.prepared) : [prepared];
}

/** Expects a request of one call. */
export async function prepareOne(
  body: object | string,
  options?: EmbeddingsCallOptions,
): Promise<PreparedRequest> {
  const [prepared, ...others] = await prepareEmbeddings(body, options);
  if (prepared === undefined || others.length > 0) throw new Error('The request takes several calls');
  return prepared;
}

interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: JsonObject | null;
  ignored: readonly string[];
}

export function sentRequest({ outgoing, ignoredParameters }: PreparedRequest): SentRequest {
  const { url, headers, body } = outgoing;
  return { url: url.href, headers, body: parseJsonObject(body), ignored: ignoredParameters };
}

/** The error of a request that is refused before it is sent. */
export async function rejectionOf(
  body: object | string,
  options?: EmbeddingsCallOptions,
): Promise<Pick<GatewayError, 'code' | 'param' | 'message'>> {
  const rejection = await prepareEmbeddings(body, options).then(
    () => null,
    (error: GatewayError) => error,
  );
  if (rejection === null) throw new Error('The request was accepted');
  const { code, param, message } = rejection;
  return { code, param, message };
}

/** `text` is what the caller receives: of a split request, its part of the list. */
export async function readEmbeddings(body: object | string, response: ScriptedResponse) {
  return readBody({ response: await respondTo(await prepareOne(body), response) });
}

/** The error of a response with another status than 2xx. */
export async function failureOf(
  body: object | string,
  response: ScriptedResponse,
): Promise<{ status: number; code: string; param: string | null; message: string }> {
  const read = await respondTo(await prepareOne(body), response);
  if (read.kind !== 'failure') throw new Error(`Expected a failure, not a ${read.kind}`);
  const { code, message, param } = read.error.toBody().error;
  return { status: read.error.status, code, param, message };
}
