/** The Messages API for models of providers without it, with the clients that people use, unchanged. */
import {
  scriptCompletions,
  simulatedUsage,
  type TranslatedModel,
} from '#test/support/providers/scripted/script-completions.ts';
import { describeMessageClients, type Running } from './message-clients.ts';

const models = [
  'google/gemini-3.1-pro-preview',
  'bedrock/amazon.nova-pro-v1:0',
  'openai/gpt-5.4',
  'vllm/Qwen/Qwen3-32B',
  'ollama/gpt-oss:20b',
] as const satisfies TranslatedModel[];

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
}
