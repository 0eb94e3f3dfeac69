/** Whatever a provider quotes, wherever in its answer: no error names the gateway's credential. */
import { describe, expect, it } from 'vitest';
import { sseEvent } from '#lambdas/inference/providers/http/sse.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { piecesOf } from '#test/support/pieces.ts';
import { bedrockFrame } from '#test/support/providers/bedrock/bedrock-event-stream.ts';
import { exchange, providerCall, type ScriptedReply } from '#test/support/providers/provider-call.ts';

const apiKey = 'sk-a/very+secret==key';
const message = `The key ${apiKey} has no quota`;
const registry = createProviderRegistry({ bedrock: { baseUrl: 'https://bedrock.test' } }, exampleCaller);
const openAiError = { error: { message, code: 500 } };
const googleError = { error: { code: 500, message, status: 'INTERNAL' } };
const anthropicError = { type: 'error', error: { type: 'api_error', message } };

/** The error that the caller is told of. */
async function errorOf(provider: string, scripted: ScriptedReply, stream: boolean): Promise<unknown> {
  const { prepare } = registry.resolve(`${provider}/m`).provider;
  const call = providerCall({ model: 'm', stream }, { apiKey });
  const { reply } = await exchange(prepare, call, scripted);
  switch (reply.kind) {
    case 'refusal':
      return reply.error.toBody();
    case 'answer':
      return await reply.read().then(
        ({ problem }) => problem?.toBody(),
        (error) => error.toBody(),
      );
    case 'stream':
      await piecesOf(reply.read);
      return reply.facts.problem?.toBody();
    default:
      return reply satisfies never;
  }
}

describe('the credential that a provider quotes', () => {
  it.each<[string, object]>([
    ['openai', openAiError],
    ['anthropic', anthropicError],
    ['google', googleError],
    ['bedrock', { message }],
  ])('is not in the error of a reply of %s', async (provider, body) => {
    expect(await errorOf(provider, { status: 500, body }, false)).toMatchObject({
      error: { message: `The key ${'*'.repeat(apiKey.length)} has no quota` },
    });
  });

  it.each<[string, object]>([
    ['openai', openAiError],
    [
      'openai',
      { choices: [{ error: { message, code: 500 } }], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    ],
    ['anthropic', anthropicError],
    ['google', googleError],
  ])('is not in the error inside an answer of %s', async (provider, body) => {
    expect(await errorOf(provider, { body }, false)).toMatchObject({
      error: { message: `The key ${'*'.repeat(apiKey.length)} has no quota` },
    });
  });

  it.each<[string, (Buffer | string)[]]>([
    ['openai', [sseEvent(openAiError)]],
    ['openai', [`data: ${JSON.stringify(openAiError)}`]],
    ['anthropic', [sseEvent(anthropicError)]],
    ['google', [sseEvent(googleError)]],
    ['google', [JSON.stringify(googleError)]],
    ['bedrock', [bedrockFrame({ internalServerException: { message } })]],
  ])('is not in the error inside a stream of %s', async (provider, body) => {
    expect(await errorOf(provider, { body }, true)).toMatchObject({
      error: { message: `The key ${'*'.repeat(apiKey.length)} has no quota` },
    });
  });
});
