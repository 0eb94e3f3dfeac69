/** Scripts the completions of fakes without an API of the caller's, for requests of it that the gateway translates. */
import { expect } from 'vitest';
import { playTurns, type Script, type ScriptedGateway } from '../script-turns.ts';
import type { Failure, Turn } from './turns.ts';

/** Billionths of a dollar for each token: input, output, cache read. `null` if the price is unknown. */
const rates = {
  'google/gemini-3.1-pro-preview': [2000, 12_000, 200],
  'anthropic/claude-sonnet-4-5': [3000, 15_000, 300],
  'anthropic/claude-opus-4-8': [5000, 25_000, 500],
  // Models of a region cost a tenth more.
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0': [3300, 16_500, 330],
  // It has no cache.
  'bedrock/openai.gpt-oss-120b-1:0': [150, 600, 150],
  'bedrock/amazon.nova-pro-v1:0': [800, 3200, 200],
  'openai/gpt-5.1': [1250, 10_000, 125],
  'openai/gpt-5.4': [2500, 15_000, 250],
  'openai/gpt-5.6-terra': [2000, 12_000, 200],
  'mistral/mistral-large-latest': [500, 1500, 500],
  'vllm/Qwen/Qwen3-32B': null,
  'vllm/gpt-5.5': null,
  'vllm/gpt-5.6-terra': null,
  'ollama/gpt-oss:20b': null,
} as const;

export type TranslatedModel = keyof typeof rates;

type TranslatedOperation = 'messages' | 'responses';

/** The statuses that the caller gets. */
const statuses: Record<TranslatedOperation, Record<Failure, number>> = {
  messages: { overloaded: 529, rate_limited: 429, server_error: 500, context_full: 400 },
  responses: { overloaded: 503, rate_limited: 429, server_error: 502, context_full: 400 },
};

export interface CompletionScriptOptions {
  /** Whether requests without tools, such as for a title, get the simulated model's response. Default: true. */
  onlyWithTools?: boolean;
  /** The API of the caller. Default: messages. */
  operation?: TranslatedOperation;
}

export function scriptCompletions(
  scripted: ScriptedGateway<TranslatedModel>,
  turns: readonly Turn[] = [],
  { onlyWithTools = true, operation = 'messages' }: CompletionScriptOptions = {},
): Script {
  return playTurns(scripted, turns, {
    operation,
    simulated: { parts: [], usage: simulatedUsage(scripted.model) },
    hasRequestIds: !scripted.model.startsWith('google/'),
    entryOf: ({ turn, stream }) => ({ stream, ...entryOf(scripted.model, turn, operation) }),
    play: (next) => {
      delete scripted.upstream.behaviour.nextResponse;
      scripted.upstream.behaviour.nextCompletion = ({ hasTools, stream }, requestId) =>
        next({ isScripted: hasTools || !onlyWithTools, stream }, requestId);
    },
  });
}

/** The usage of the fake's simulated model. */
export function simulatedUsage(model: TranslatedModel) {
  if (model.startsWith('google/')) return { input: 11, output: 5 };
  return model.startsWith('bedrock/') ? { input: 12, output: 8 } : { input: 19, output: 5 };
}

function entryOf(model: TranslatedModel, turn: Turn, operation: TranslatedOperation): object {
  if (!('parts' in turn))
    return {
      status: statuses[operation][turn.failure],
      outcome: 'provider_error',
      input_tokens: null,
      output_tokens: null,
      cost_usd: 0,
    };
  if (turn.broken !== undefined)
    return { status: 200, outcome: 'provider_error', cost_usd: expect.any(Number) };
  const { input, output, cached = 0 } = turn.usage;
  const rate = rates[model];
  const [inputRate, outputRate, cachedRate] = rate ?? [0, 0, 0];
  return {
    status: 200,
    outcome: 'completed',
    input_tokens: input,
    output_tokens: output,
    usage_source: 'provider',
    pricing: rate === null ? 'unknown' : 'table',
    cost_usd: ((input - cached) * inputRate + output * outputRate + cached * cachedRate) / 1e9,
  };
}
