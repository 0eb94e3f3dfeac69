/** Calls to Bedrock's protocol: at its fake, which refuses what Bedrock refuses, or without a network. */
import { expect } from 'vitest';
import { createBedrockProtocol } from '#lambdas/inference/providers/bedrock/protocol.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import { createPrepare, type Prepare, type ProviderCall } from '#lambdas/inference/providers/provider.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { exchange, providerCall, type ScriptedResponse } from '../provider-call.ts';
import { bedrockFrame, bedrockStreamType } from './bedrock-event-stream.ts';
import type { BedrockUpstream } from './bedrock-protocol.ts';

export const exampleClaude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

export function bedrockAt(baseUrl: string, region: string | null = null): Prepare {
  const entry = providerCatalog.bedrock;
  if (entry === undefined) throw new Error('The catalog has no bedrock');
  return createPrepare(() =>
    createBedrockProtocol({ name: 'bedrock', baseUrl, region, entry, aws: exampleCaller }),
  );
}

type Request = Record<string, unknown>;

export interface Accepted {
  body: JsonObject;
  ignored: readonly string[];
}

/** What the fake was sent, which it has to accept. */
export async function accepted(upstream: BedrockUpstream, request: Request): Promise<Accepted> {
  const call = providerCall({ model: exampleClaude, ...request });
  const prepared = await bedrockAt(upstream.baseUrl)(call);
  const watch = createDeadlineWatch({ firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 });
  const reply = await readResponse(
    prepared,
    await createHttpTransport()(prepared.outgoing, watch),
    1_000_000,
  );
  watch.stop();
  expect(reply.kind === 'refusal' ? reply.error.message : null).toBeNull();
  const sent = upstream.requests.at(-1)?.body.toString() ?? '';
  return { body: JSON.parse(sent), ignored: prepared.ignoredParameters };
}

/** The error that the request meets before it is sent. */
export async function refusedHere(
  request: Request,
): Promise<Pick<GatewayError, 'code' | 'param' | 'message'>> {
  const call = providerCall({ model: exampleClaude, ...request });
  const refused = await bedrockAt('http://bedrock.test')(call).then(
    () => null,
    (error: GatewayError) => error,
  );
  if (refused === null) throw new Error('The request was taken');
  const { code, param, message } = refused;
  return { code, param, message };
}

/** What the caller is told when Bedrock answers so. */
export async function replyTo(
  request: Request,
  scripted: ScriptedResponse,
  differences: Partial<ProviderCall> = {},
) {
  const call = providerCall({ model: exampleClaude, ...request }, differences);
  const { reply } = await exchange(bedrockAt('http://bedrock.test'), call, scripted);
  return reply;
}

export function streamOf(...events: object[]): ScriptedResponse {
  return { headers: { 'content-type': bedrockStreamType }, body: [Buffer.concat(events.map(bedrockFrame))] };
}
