/** The Messages API for models of providers without it, with the clients that people use, unchanged. */
import {
  scriptCompletions,
  simulatedUsage,
  type TranslatedModel,
} from '#test/support/providers/scripted/script-completions.ts';
import { type ResponsesModel, scriptResponses } from '#test/support/responses/script-turns.ts';
import { describeMessageClients, type Running } from './message-clients.ts';

const models = [
  'google/gemini-3.1-pro-preview',
  'bedrock/amazon.nova-pro-v1:0',
  'openai/gpt-5.4',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

/** OpenAI has it by the Responses API alone. */
const responsesModels = ['openai/gpt-5.5-pro'] as const satisfies ResponsesModel[];

/** `running` is called in tests, when the gateway has started. */
export function describeTranslatedMessages(running: () => Running): void {
  describeMessageClients(running, models, (model) => {
    const { gateway, upstreams } = running();
    const upstream = upstreams.get(model.slice(0, model.indexOf('/')));
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    const { input, output } = simulatedUsage(model);
    return {
      ...scriptCompletions({ gateway, upstream, model }),
      usage: [input, output],
      requestId: /^[0-9a-f-]{36}$/,
      // The gateway itself refuses to have the conversation kept.
      refused: 0,
    };
  });
  describeMessageClients(running, responsesModels, (model) => {
    const { gateway, upstreams } = running();
    const upstream = upstreams.get('openai');
    if (upstream === undefined) throw new Error(`No fake provider for ${model}`);
    return {
      ...scriptResponses({ gateway, upstream, model }, [], { operation: 'messages' }),
      usage: [19, 5],
      requestId: /^[0-9a-f-]{36}$/,
      refused: 0,
    };
  });
}
