/** Calls Bedrock's protocol against the fake Bedrock or with a scripted response. */
import { expect } from 'vitest';
import { createBedrockProtocol } from '#lambdas/inference/providers/bedrock/protocol.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import { createPrepare, type Prepare, type ProviderCall } from '#lambdas/inference/providers/provider.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { exchange, providerCall, type ScriptedResponse } from '../provider-call.ts';
import { bedrockFrame, bedrockStreamType } from './event-stream.ts';
import type { BedrockUpstream } from './upstream.ts';

export const exampleClaudeModel = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

export function prepareBedrock(baseUrl: string, region: string | null = null): Prepare {
  const entry = providerCatalog.bedrock;
  if (entry === undefined) throw new Error('The catalog has no bedrock');
  return createPrepare(() =>
    createBedrockProtocol({ name: 'bedrock', baseUrl, region, path: null, entry, aws: exampleClientOptions }),
  );
}

type Request = Record<string, unknown>;

interface AcceptedRequest {
  body: JsonObject;
  ignored: readonly string[];
}

export async function expectAccepted(upstream: BedrockUpstream, request: Request): Promise<AcceptedRequest> {
  const call = providerCall({ model: exampleClaudeModel, ...request });
  const prepared = await prepareBedrock(upstream.baseUrl)(call);
  const watch = createDeadlineWatch({ firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 });
  const response = await readResponse(prepared, await createHttpTransport()(prepared.outgoing, watch));
  watch.stop();
  expect(response.kind === 'failure' ? response.error.message : null).toBeNull();
  const sent = upstream.requests.at(-1)?.body.toString() ?? '';
  return { body: JSON.parse(sent), ignored: prepared.ignoredParameters };
}

/** Returns the error that the protocol throws before sending the request. */
export async function expectRejected(
  request: Request,
): Promise<Pick<GatewayError, 'code' | 'param' | 'message'>> {
  const call = providerCall({ model: exampleClaudeModel, ...request });
  const rejection = await prepareBedrock('http://bedrock.test')(call).then(
    () => null,
    (error: GatewayError) => error,
  );
  if (rejection === null) throw new Error('The request was accepted');
  const { code, param, message } = rejection;
  return { code, param, message };
}

export async function callBedrock(
  request: Request,
  scripted: ScriptedResponse,
  overrides: Partial<ProviderCall> = {},
) {
  const call = providerCall({ model: exampleClaudeModel, ...request }, overrides);
  const { response } = await exchange(prepareBedrock('http://bedrock.test'), call, scripted);
  return response;
}

export function eventStreamResponse(...events: object[]): ScriptedResponse {
  return { headers: { 'content-type': bedrockStreamType }, body: [Buffer.concat(events.map(bedrockFrame))] };
}
