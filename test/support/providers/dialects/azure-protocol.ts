/**
 * How Azure OpenAI answers at `/openai/v1`: as OpenAI does, with a key in a header of its own and what its content
 * filter found in every answer. A stream begins with a chunk that has no identity yet.
 * https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter-annotations
 */
import { type Dialect, dialectProtocol } from '../openai/openai-dialect.ts';
import { exampleUsage } from '../openai/openai-events.ts';
import { type ChatRequest, refusedByOpenAI } from '../openai/openai-request.ts';
import { asksForUsage, finishReasonOf, openaiDeltas, openaiMessage } from '../openai/openai-shapes.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const safe = { filtered: false, severity: 'safe' };
const found = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
const promptFound = [
  { prompt_index: 0, content_filter_results: { ...found, jailbreak: { filtered: false, detected: false } } },
];

const common = ({ model }: ChatRequest, object: string) => ({
  id: 'chatcmpl-1',
  object,
  created: 1767225600,
  model: `${model}-2025-04-14`,
  system_fingerprint: null,
});

const azureDialect: Dialect = {
  path: '/openai/v1',
  apiKeyOf: ({ headers }) => (Array.isArray(headers['api-key']) ? headers['api-key'][0] : headers['api-key']),
  headers: ({ requestId }) => ({ 'apim-request-id': `apim-${requestId}`, 'x-ms-region': 'East US' }),
  wrongKey: {
    status: 401,
    body: {
      error: {
        code: '401',
        message:
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
      },
    },
  },
  unknownModel: () => ({
    status: 404,
    body: {
      error: {
        code: 'DeploymentNotFound',
        message:
          'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      },
    },
  }),
  badRequest: (problem) => ({ status: 400, body: { error: { type: 'invalid_request_error', ...problem } } }),
  refuses: refusedByOpenAI,
  plain: (chat, answer) => ({
    choices: [
      {
        content_filter_results: answer.kind === 'text' ? found : {},
        finish_reason: finishReasonOf(answer),
        index: 0,
        logprobs: null,
        message: openaiMessage(answer),
      },
    ],
    ...common(chat, 'chat.completion'),
    prompt_filter_results: promptFound,
    usage: exampleUsage,
  }),
  stream(chat, answer) {
    const usage = (value: object | null) => (asksForUsage(chat) ? { usage: value } : {});
    const chunk = (choices: object[], counted: object | null = null) => ({
      choices,
      ...common(chat, 'chat.completion.chunk'),
      ...usage(counted),
    });
    const choice = (delta: object, finish_reason: string | null) => ({
      content_filter_results: 'content' in delta && delta.content ? found : {},
      delta,
      finish_reason,
      index: 0,
      logprobs: null,
    });
    return [
      { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: promptFound },
      ...openaiDeltas(answer).map((delta) => chunk([choice(delta, null)])),
      chunk([choice({}, finishReasonOf(answer))]),
      ...(asksForUsage(chat) ? [chunk([], exampleUsage)] : []),
    ];
  },
};

export function startAzureUpstream(behaviour: ProviderBehaviour = {}): Promise<Upstream<ProviderBehaviour>> {
  return startUpstream(dialectProtocol(azureDialect), behaviour);
}
